// openworld predict: what a tuned model says of images.

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
    app.add_option("IMAGES", flags_.images,
                   "image files, or folders, whose images are taken with those of folders in them")
        ->required();
    app.add_option("--model", flags_.model, "the checkpoint, if it is no longer where it was");
    app.add_option("--vocabulary", flags_.vocabulary, "of it, if not beside the weights");
    app.add_option("--batch", flags_.batch, "images in one pass")
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
