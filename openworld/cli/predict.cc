// openworld predict: predictions of a tuned model.

#include <CLI/CLI.hpp>

#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/model_flags.h"
#include "openworld/cli/model_library.h"

namespace openworld {
namespace {

class Predict : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("--run", command_.run, "folder that `openworld tune` wrote")->required();
    app.add_option("IMAGES", command_.images, "image files, or folders, searched recursively")
        ->required();
    app.add_option("--model", command_.model.path, "the checkpoint [the path in run.json]");
    app.add_option("--vocabulary", command_.model.vocabulary,
                   "vocabulary file, if not beside the weights");
    declare_model_run(app, command_.model);
    auto* const lines =
        app.add_flag("--jsonl", command_.json_lines, "print JSON lines, an object for each image");
    app.add_option("--csv", command_.csv, "also write the answers to this CSV file");
    auto* const folder = app.add_option(
        "--sort-into", command_.sort_into,
        "also make this folder with links to the images, in base/CLASS, new/CLASS and unknown");
    app.add_flag("--copy", command_.copy, "copies of the images in --sort-into, not links")
        ->needs(folder);
    declare_json(app, command_.json);
    lines->excludes(app.get_option("--json"));
  }

  void run() override { model_library().predict(command_); }

 private:
  PredictCommand command_;
};

}  // namespace

std::unique_ptr<Command> make_predict() {
  return std::make_unique<Predict>();
}

}  // namespace openworld
