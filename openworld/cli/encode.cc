// openworld encode: features of images or texts, as arrays.

#include <CLI/CLI.hpp>

#include "openworld/base/error.h"
#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/model_flags.h"
#include "openworld/cli/model_library.h"

namespace openworld {
namespace {

class Encode : public Command {
 public:
  void declare(CLI::App& app) override {
    declare_model(app, command_.request.model);
    declare_data(app, command_.request.data);
    app.add_option("--texts", command_.request.texts,
                   "a file of texts, one per line, instead of images");
    app.add_option("--out", command_.request.out,
                   "output .npz: features, labels, names, paths; or features, texts")
        ->required();
    declare_cache(app, command_.request.cache);
    declare_memory(app, command_.request.memory);
    declare_json(app, command_.json);
  }

  void run() override {
    if (command_.request.data.path.empty() == command_.request.texts.empty()) {
      fail("encode", "expected either --data or --texts");
    }
    model_library().encode(command_);
  }

 private:
  EncodeCommand command_;
};

}  // namespace

std::unique_ptr<Command> make_encode() {
  return std::make_unique<Encode>();
}

}  // namespace openworld
