// openworld zeroshot: classifies images by the names of their classes.

#include <CLI/CLI.hpp>

#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/flag_checks.h"
#include "openworld/cli/model_flags.h"
#include "openworld/cli/model_library.h"

namespace openworld {
namespace {

class Zeroshot : public Command {
 public:
  void declare(CLI::App& app) override {
    declare_model(app, command_.request.model);
    declare_data(app, command_.request.data);
    app.get_option("--data")->required();
    app.add_option("--templates", command_.request.templates,
                   "a template with {}, a file of them, or a set (`openworld ls templates`) [the "
                   "dataset's own, else photo]");
    app.add_option("--ensemble", command_.request.ensemble,
                   "average normalised features and normalise, or average logits")
        ->capture_default_str()
        ->check(CLI::IsMember({"features", "logits"}));
    app.add_option("--base", command_.request.base,
                   "base classes of the predictions: all, half (CoOp's first half), their number, "
                   "names with commas between them, or a file of names; the rest are new")
        ->capture_default_str();
    app.add_option("--out", command_.request.out,
                   "output .npz of predictions, for `openworld eval`");
    app.add_option("--level", command_.request.level, "confidence level of the interval")
        ->capture_default_str()
        ->check(between_0_and_1());
    app.add_flag("--keep-underscores", command_.request.keep_underscores,
                 "keep _ in class names instead of replacing it by a space");
    declare_cache(app, command_.request.cache);
    declare_memory(app, command_.request.memory);
    declare_json(app, command_.json);
  }

  void run() override { model_library().zeroshot(command_); }

 private:
  ZeroShotCommand command_;
};

}  // namespace

std::unique_ptr<Command> make_zeroshot() {
  return std::make_unique<Zeroshot>();
}

}  // namespace openworld
