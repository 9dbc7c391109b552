// openworld zeroshot: classifies images by the names of their classes.

#include <CLI/CLI.hpp>

#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/flag_checks.h"
#include "openworld/cli/model_library.h"

namespace openworld {
namespace {

class Zeroshot : public Command {
 public:
  void declare(CLI::App& app) override {
    flags_.model.declare(app);
    flags_.data.declare(app);
    app.get_option("--data")->required();
    app.add_option("--templates", flags_.templates,
                   "a template with {}, a file of them, or a set (`openworld ls templates`) [the "
                   "dataset's own, else photo]");
    app.add_option("--ensemble", flags_.ensemble,
                   "average normalised features and normalise, or average logits")
        ->capture_default_str()
        ->check(CLI::IsMember({"features", "logits"}));
    app.add_option("--base", flags_.base,
                   "base classes of the predictions: all, half (CoOp's first half), "
                   "or their number; the rest are new")
        ->capture_default_str();
    app.add_option("--out", flags_.out, "output .npz of predictions, for `openworld eval`");
    app.add_option("--level", flags_.level, "confidence level of the interval")
        ->capture_default_str()
        ->check(between_0_and_1());
    app.add_flag("--keep-underscores", flags_.keep_underscores,
                 "keep _ in class names instead of replacing it by a space");
    flags_.cache.declare(app);
    declare_memory(app, flags_.memory);
    declare_json(app, flags_.json);
  }

  void run() override { model_library().zeroshot(flags_); }

 private:
  ZeroshotFlags flags_;
};

}  // namespace

std::unique_ptr<Command> make_zeroshot() {
  return std::make_unique<Zeroshot>();
}

}  // namespace openworld
