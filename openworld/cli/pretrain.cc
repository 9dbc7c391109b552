// openworld pretrain: trains a CLIP model on images with captions.

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "openworld/base/error.h"
#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/model_flags.h"
#include "openworld/cli/model_library.h"
#include "openworld/cli/option_flags.h"
#include "openworld/cli/pretrain_flags.h"
#include "openworld/pretrain/spec/stages_file.h"
#include "openworld/worlds/captions.h"

namespace openworld {
namespace {

class Pretrain : public Command {
 public:
  void declare(CLI::App& app) override {
    declare_captions(app);
    app.add_option(
           "--out", flags_.out,
           "folder for the model, in the layout of Hugging Face, and its log; an unfinished "
           "run is resumed")
        ->required();
    declare_spec(app);
    declare_seed(app, flags_.spec.training.seed, "seed of weights, order, captions, augmentation");
    declare_threads(app, flags_.threads);
    app.add_option("--eval", flags_.spec.eval,
                   "labelled dataset whose zero-shot accuracy is measured; repeatable");
    OptionList unrecorded;
    flags_.spec.declare_unrecorded(unrecorded);
    declare_options(app, unrecorded);
    app.add_flag("--restart", flags_.restart, "start over instead of resuming");
    declare_json(app, flags_.json);
  }

  void run() override {
    flags_.spec.data = data_.path;
    flags_.spec.dataset = data_.options;
    if (!stages_.empty()) read_stages(stages_, flags_.spec);
    if (stages_.empty() && data_.path.empty()) {
      fail("pretrain", "no images; expected --data, or --stages with sources");
    }
    model_library().pretrain(flags_);
  }

 private:
  void declare_captions(CLI::App& app) {
    declare_data(app, data_);
    CLI::Option* const data = app.get_option("--data");
    data->description("images with captions, in any format listed below");
    app.add_option("--stages", stages_,
                   "JSON file with sources and stages, for which the other options are defaults")
        ->excludes(data);
    std::string formats = "Formats of --data:";
    for (const CaptionFormat& row : caption_formats()) {
      formats += fmt::format("\n  {:<14} {}", row.name, row.looks_like);
    }
    app.footer(formats);
  }

  void declare_spec(CLI::App& app) {
    OptionList list;
    flags_.spec.declare(list);
    for (const OptionRow& row : list.rows()) {
      if (row.name == "zoom_high") continue;
      if (row.name == "zoom_low") {
        declare_zoom(app);
        continue;
      }
      declare_option(app, row, option_flag_name(row));
      // The name that --reinit had before.
      if (row.name == "reinit") declare_option(app, row, "--fresh")->group("");
    }
    app.get_option("--reinit")->needs(app.get_option("--init"));
  }

  // Two numbers, which are two options of the spec.
  void declare_zoom(CLI::App& app) {
    RedrawRange& range = flags_.spec.source.augmentation.redraw;
    const auto set = [&range](const std::vector<double>& zoom) {
      range.low = zoom.at(0);
      range.high = zoom.at(1);
    };
    app.add_option_function<std::vector<double>>(
           "--zoom", set, "redraw: smallest and largest factor, of each side")
        ->expected(2)
        ->default_str(fmt::format("[{},{}]", range.low, range.high));
  }

  DataSpec data_;
  std::string stages_;
  PretrainFlags flags_;
};

}  // namespace

std::unique_ptr<Command> make_pretrain() {
  return std::make_unique<Pretrain>();
}

}  // namespace openworld
