// openworld predict: predictions of a tuned model.

#include <CLI/CLI.hpp>

#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/model_library.h"

namespace openworld {
namespace {

class Predict : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("--run", flags_.run, "folder that `openworld tune` wrote")->required();
    app.add_option("IMAGES", flags_.images, "image files, or folders, searched recursively")
        ->required();
    app.add_option("--model", flags_.model, "the checkpoint [the path in run.json]");
    app.add_option("--vocabulary", flags_.vocabulary, "vocabulary file, if not beside the weights");
    app.add_option("--batch", flags_.batch, "batch size")
        ->capture_default_str()
        ->check(CLI::Range(1, 4096));
    declare_threads(app, flags_.threads);
    declare_json(app, flags_.json);
  }

  void run() override { model_library().predict(flags_); }

 private:
  PredictFlags flags_;
};

}  // namespace

std::unique_ptr<Command> make_predict() {
  return std::make_unique<Predict>();
}

}  // namespace openworld
