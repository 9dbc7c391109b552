// openworld tune: tunes prompts on a few images of base classes and measures them in the open
// world.

#include <CLI/CLI.hpp>

#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/flag_checks.h"
#include "openworld/cli/model_library.h"

namespace openworld {
namespace {

class Tune : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("--method", flags_.method, "a learner: see `openworld ls learners`")->required();
    flags_.model.declare(app);
    declare_data(app);
    declare_shots(app);
    app.add_option("--epochs", flags_.epochs, "training epochs [the method's default]")
        ->check(CLI::Range(1, 1 << 20));
    app.add_option("--logit-scale", flags_.logit_scale,
                   "logit scale in training and scoring [the model's own]; CLIP's "
                   "published models have 100")
        ->check(CLI::Range(1e-3, 1e6));
    app.add_option("--set", flags_.set,
                   "option of the method, key=value; repeatable; see `openworld help "
                   "learner NAME`");
    app.add_option("--out", flags_.out,
                   "run folder: prompts, configuration, log, predictions, result; an "
                   "unfinished run is resumed")
        ->required();
    app.add_option("--label", flags_.label,
                   "name of the run in tables [the method and the options that were set]");
    flags_.cache.declare(app);
    declare_memory(app, flags_.memory);
    app.add_flag("--restart", flags_.restart, "start over instead of resuming");
    declare_json(app, flags_.json);
  }

  void run() override { model_library().tune(flags_); }

 private:
  void declare_data(CLI::App& app) {
    flags_.data.declare(app);
    app.remove_option(app.get_option("--split"));
    app.get_option("--data")->required();
    app.add_option("--train-split", flags_.train_split, "split of the training images [train]");
    app.add_option("--test-split", flags_.test_split,
                   "split to evaluate on [test, else val]; if it is the training split, the images "
                   "not trained on");
    app.add_option("--test-data", flags_.test_data,
                   "separate dataset of test images, with the same classes");
    app.add_option("--base", flags_.base,
                   "base classes, to tune on: half (CoOp's first half), all, or their number; the "
                   "rest are new")
        ->capture_default_str();
    app.add_option("--templates", flags_.templates,
                   "hand-written prompts: a template with {}, a file of them, or a set (`openworld "
                   "ls templates`) [the dataset's own, else photo]");
    app.add_flag("--keep-underscores", flags_.keep_underscores,
                 "keep _ in class names instead of replacing it by a space");
  }

  void declare_shots(CLI::App& app) {
    app.add_option("--shots", flags_.shots, "training images of each base class; 0: all")
        ->capture_default_str()
        ->check(whole_number());
    app.add_option("--shot-rule", flags_.shot_rule,
                   "few-shot sampling: coop, as in Dassl; decoop, reseeded for every class "
                   "[that of the method's authors]")
        ->check(CLI::IsMember({"coop", "decoop"}));
    app.add_flag("--allow-fewer", flags_.allow_fewer,
                 "use all images of a class that has fewer than --shots");
    app.add_option("--views", flags_.views,
                   "random views of each training image; 0: the image without augmentation")
        ->capture_default_str()
        ->check(CLI::Range(0, 1 << 16));
    declare_seed(app, flags_.seed, "seed of few-shot sampling, prompt init and order");
    app.add_option("--seeds", flags_.seeds,
                   "several seeds, 1-3 or 1,2,5: one run each, in OUT/seed-1 and so on")
        ->check([](const std::string& text) {
          return text.empty() ? std::string("expected seeds such as 1-3 or 1,2,5") : "";
        });
  }

  TuneFlags flags_;
};

}  // namespace

std::unique_ptr<Command> make_tune() {
  return std::make_unique<Tune>();
}

}  // namespace openworld
