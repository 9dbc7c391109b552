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
    app.add_option("--epochs", flags_.epochs, "of training [the method's own]")
        ->check(CLI::Range(1, 1 << 20));
    app.add_option("--logit-scale", flags_.logit_scale,
                   "logit scale, in training and scoring, instead of the model's own; CLIP's "
                   "published models have 100")
        ->check(CLI::Range(1e-3, 1e6));
    app.add_option("--set", flags_.set,
                   "an option of the method, as key=value; may be given often; see `openworld help "
                   "learner NAME`");
    app.add_option("--out", flags_.out,
                   "folder for the run: prompts, configuration, log, predictions, result; an "
                   "unfinished one is gone on with")
        ->required();
    app.add_option("--label", flags_.label,
                   "what tables call it [the method and the options that were set]");
    flags_.cache.declare(app);
    declare_memory(app, flags_.memory);
    app.add_flag("--restart", flags_.restart, "begin anew instead of going on");
    declare_json(app, flags_.json);
  }

  void run() override { model_library().tune(flags_); }

 private:
  void declare_data(CLI::App& app) {
    flags_.data.declare(app);
    app.remove_option(app.get_option("--split"));
    app.get_option("--data")->required();
    app.add_option("--train-split", flags_.train_split, "where the shots come from [train]");
    app.add_option(
        "--test-split", flags_.test_split,
        "what is measured on [test, else val]; of the split that the shots come from, the rest");
    app.add_option("--test-data", flags_.test_data,
                   "test images, if they are a dataset of their own with the same classes");
    app.add_option("--base", flags_.base,
                   "classes that are tuned on: half (CoOp's first half), all, or their number; the "
                   "rest is new")
        ->capture_default_str();
    app.add_option("--templates", flags_.templates,
                   "hand-written prompts: a template with {}, a file of them, or a set (`openworld "
                   "ls templates`) [the dataset's own, else photo]");
    app.add_flag("--keep-underscores", flags_.keep_underscores,
                 "leave _ in class names instead of a space");
  }

  void declare_shots(CLI::App& app) {
    app.add_option("--shots", flags_.shots, "training images of each base class; 0: all")
        ->capture_default_str()
        ->check(whole_number());
    app.add_option("--shot-rule", flags_.shot_rule,
                   "how they are drawn: coop, as Dassl does; decoop, seeded anew for every class "
                   "[as the method's authors do]")
        ->check(CLI::IsMember({"coop", "decoop"}));
    app.add_flag("--allow-fewer", flags_.allow_fewer,
                 "take what there is where a class has fewer images than --shots");
    app.add_option("--views", flags_.views,
                   "random crops of each training image to draw from; 0: the image as it is")
        ->capture_default_str()
        ->check(CLI::Range(0, 1 << 16));
    declare_seed(app, flags_.seed, "of shots, first prompts and order");
    app.add_option("--seeds", flags_.seeds,
                   "several, as 1-3 or 1,2,5: a run for each, in OUT/seed-1 and so on")
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
