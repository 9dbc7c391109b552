// openworld encode: features of images or texts, as arrays.

#include <CLI/CLI.hpp>

#include "openworld/base/error.h"
#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/model_library.h"

namespace openworld {
namespace {

class Encode : public Command {
 public:
  void declare(CLI::App& app) override {
    flags_.model.declare(app);
    flags_.data.declare(app);
    app.add_option("--texts", flags_.texts, "a file of texts, one per line, instead of images");
    app.add_option("--out", flags_.out,
                   "output .npz: features, labels, names, paths; or features, texts")
        ->required();
    flags_.cache.declare(app);
    declare_memory(app, flags_.memory);
    declare_json(app, flags_.json);
  }

  void run() override {
    if (flags_.data.data.empty() == flags_.texts.empty()) {
      fail("encode", "expected either --data or --texts");
    }
    model_library().encode(flags_);
  }

 private:
  EncodeFlags flags_;
};

}  // namespace

std::unique_ptr<Command> make_encode() {
  return std::make_unique<Encode>();
}

}  // namespace openworld
