// openworld tune: tunes prompts on a few images of base classes and measures them in the open
// world.

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/flag_checks.h"
#include "openworld/cli/model_flags.h"
#include "openworld/cli/model_library.h"
#include "openworld/cli/scenario_flags.h"
#include "openworld/runs/request_options.h"
#include "openworld/runs/seed_list.h"

namespace openworld {
namespace {

class Tune : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("--method", request().method, "a learner: see `openworld ls learners`")
        ->required();
    declare_model(app, request().model);
    declare_datasets(app);
    declare_scenario(app);
    declare_shots(app);
    app.add_option("--epochs", request().epochs, "training epochs [the method's default]")
        ->check(CLI::Range(1, 1 << 20));
    app.add_option("--logit-scale", request().logit_scale,
                   "logit scale in training and scoring [the model's own]; CLIP's "
                   "published models have 100")
        ->check(CLI::Range(1e-3, 1e6));
    app.add_option("--set", request().options,
                   "option of the method, key=value; repeatable; see `openworld help "
                   "learner NAME`");
    app.add_option("--out", out_,
                   "run folder: prompts, configuration, log, predictions, result; an "
                   "unfinished run is resumed")
        ->required();
    app.add_option("--label", request().label,
                   "name of the run in tables [the method and the options that were set]");
    declare_cache(app, request().cache);
    declare_memory(app, request().memory);
    app.add_flag("--restart", request().restart, "start over instead of resuming");
    declare_json(app, command_.json);
  }

  void run() override {
    TuningRequest& request = command_.request;
    if (!scenario_.name.empty()) request.scenario = scenario_;
    use_test_fraction(request, test_fraction_, split_seed_);
    command_.several = !seeds_.empty();
    if (!command_.several) request.runs = {{seed_, out_}};
    if (command_.several) {
      for (const std::uint64_t seed : parse_seed_list(seeds_, "tune")) {
        request.runs.push_back({seed, fmt::format("{}/seed-{}", out_, seed)});
      }
    }
    model_library().tune(command_);
  }

 private:
  void declare_datasets(CLI::App& app) {
    declare_data(app, request().data);
    app.remove_option(app.get_option("--split"));
    app.get_option("--data")->required();
    app.add_option("--train-split", request().train_split, "split of the training images [train]");
    app.add_option("--test-split", request().test_split,
                   "split to evaluate on [test, else val]; if it is the training split, the images "
                   "not trained on");
    app.add_option("--test-data", request().test_data,
                   "separate dataset of test images, with the same classes");
    app.add_option("--test-fraction", test_fraction_,
                   "of a dataset without splits: the part of each class to test on")
        ->check(between_0_and_1());
    app.add_option("--split-seed", split_seed_,
                   "seed that draws the images of --test-fraction, whatever --seed is")
        ->capture_default_str()
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 62));
    app.add_option(
           "--base", request().base,
           "base classes, to tune on: half (CoOp's first half), all, their number, names with "
           "commas between them, or a file with a name on each line; the rest are new")
        ->capture_default_str();
    app.add_option("--templates", request().templates,
                   "hand-written prompts: a template with {}, a file of them, or a set (`openworld "
                   "ls templates`) [the dataset's own, else photo]");
    app.add_flag("--keep-underscores", request().keep_underscores,
                 "keep _ in class names instead of replacing it by a space");
  }

  void declare_scenario(CLI::App& app) {
    CLI::Option* const name =
        app.add_option("--scenario", scenario_.name,
                       "tune once and test on every level of a scenario: see `openworld ls "
                       "scenarios` [base to new classes]");
    declare_other_datasets(app, scenario_.looks, scenario_.targets);
    app.add_option("--scenario-set", scenario_.options,
                   "option of the scenario, key=value; repeatable; see `openworld ls scenarios "
                   "NAME`")
        ->needs(name);
    for (const char* flag : {"--looks", "--targets"}) app.get_option(flag)->needs(name);
    app.get_option("--base")->excludes(name);
  }

  void declare_shots(CLI::App& app) {
    app.add_option("--shots", request().shots, "training images of each base class; 0: all")
        ->capture_default_str()
        ->check(whole_number());
    app.add_option("--shot-rule", request().shot_rule,
                   "few-shot sampling: coop, as in Dassl; decoop, reseeded for every class "
                   "[that of the method's authors]")
        ->check(CLI::IsMember({"coop", "decoop"}));
    app.add_flag("--allow-fewer", request().allow_fewer,
                 "use all images of a class that has fewer than --shots");
    app.add_option("--views", request().views,
                   "random views of each training image; 0: the image without augmentation")
        ->capture_default_str()
        ->check(CLI::Range(0, 1 << 16));
    app.add_flag("--augment", request().augment,
                 "a new random crop and flip of each training image in every epoch, for methods "
                 "that take images");
    declare_seed(app, seed_, "seed of few-shot sampling, prompt init and order");
    app.add_option("--seeds", seeds_,
                   "several seeds, 1-3 or 1,2,5: one run each, in OUT/seed-1 and so on")
        ->check([](const std::string& text) {
          return text.empty() ? std::string("expected seeds such as 1-3 or 1,2,5") : "";
        });
  }

  TuningRequest& request() { return command_.request; }

  TuneCommand command_;
  ScenarioRequest scenario_;
  std::string out_;
  double test_fraction_ = 0;
  std::int64_t split_seed_ = 1;
  std::uint64_t seed_ = 1;
  std::string seeds_;
};

}  // namespace

std::unique_ptr<Command> make_tune() {
  return std::make_unique<Tune>();
}

}  // namespace openworld
