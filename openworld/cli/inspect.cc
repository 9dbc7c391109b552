// openworld inspect: what a CLIP checkpoint is.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "openworld/base/version.h"
#include "openworld/checkpoint/checkpoint_format.h"
#include "openworld/checkpoint/clip_checkpoint.h"
#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/print_table.h"
#include "openworld/io/run_cost.h"
#include "openworld/report/text_table.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

struct Parameters {
  std::int64_t vision = 0, text = 0, total = 0;
};

Parameters count_parameters(const ClipCheckpoint& model) {
  Parameters count;
  for (const TensorSpec& tensor : model.tensors()) {
    count.total += tensor.size();
    if (tensor.name == "logit_scale") continue;  // of neither tower
    (tensor.name.starts_with("visual.") ? count.vision : count.text) += tensor.size();
  }
  return count;
}

std::uintmax_t size_of(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::file_size(file, ignored);
}

std::vector<std::string_view> type_names(const ClipCheckpoint& model) {
  std::vector<std::string_view> names;
  for (const TensorType type : model.stored_types()) names.push_back(tensor_type(type).name);
  return names;
}

class Inspect : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("PATH", path_, "a checkpoint: a folder, or a file of weights")->required();
    app.add_option("--activation", activation_,
                   "override the checkpoint's activation: quick_gelu or gelu")
        ->check(CLI::IsMember({"quick_gelu", "gelu"}));
    app.add_flag("--tensors", tensors_, "list every tensor");
    declare_json(app, json_);
    std::string formats = "Formats:";
    for (const CheckpointFormat& format : checkpoint_formats()) {
      formats += fmt::format("\n  {:<12} {}", format.name, format.description);
    }
    app.footer(formats);
  }

  void run() override {
    const RunClock clock;
    const CheckpointOptions options{find_activation(activation_), "inspect"};
    const ClipCheckpoint model = open_clip_checkpoint(path_, options);
    if (json_) return print_json(model, clock);
    print_text(model);
    if (tensors_) print_tensors(model);
  }

 private:
  static Json tower_json(const TowerConfig& tower, std::int64_t parameters) {
    return {{"width", tower.width},
            {"layers", tower.layers},
            {"heads", tower.heads},
            {"mlp", tower.mlp},
            {"parameters", parameters}};
  }

  void print_json(const ClipCheckpoint& model, const RunClock& clock) const {
    const ClipConfig& config = model.config();
    const Parameters parameters = count_parameters(model);
    Json files = Json::array(), stem = Json::array(), tensors = Json::array();
    for (const std::string& file : model.files()) {
      files.push_back({{"path", file}, {"bytes", size_of(file)}});
    }
    for (const StemLayer& layer : config.stem) {
      stem.push_back({{"channels", layer.channels}, {"stride", layer.stride}});
    }
    for (const TensorSpec& tensor : model.tensors()) {
      tensors.push_back({{"name", tensor.name},
                         {"shape", tensor.shape},
                         {"type", tensor_type(model.stored_type(tensor.name)).name}});
    }
    const std::string& vocabulary = model.vocabulary_path();
    Json json = {{"schema", "openworld.checkpoint/2"},
                 {"version", OPENWORLD_VERSION},
                 {"source", path_},
                 {"format", model.format()},
                 {"files", std::move(files)},
                 {"sha256", hex_text(model.sha256())},
                 {"stored_types", type_names(model)},
                 {"parameters", parameters.total},
                 {"vision", tower_json(config.vision, parameters.vision)},
                 {"text", tower_json(config.text, parameters.text)},
                 {"embed", config.embed},
                 {"patch", config.patch},
                 {"grid", config.grid()},
                 {"stem", std::move(stem)},
                 {"context", config.context},
                 {"vocabulary", config.vocabulary},
                 {"vocabulary_path", vocabulary.empty() ? Json() : Json(vocabulary)},
                 {"activation", activation_name(config.activation)},
                 {"layer_norm_eps", config.layer_norm_eps},
                 {"preprocessing",
                  {{"image_size", config.preprocessing.image_size},
                   {"mean", config.preprocessing.mean},
                   {"std", config.preprocessing.std}}},
                 {"notes", model.notes()}};
    if (tensors_) json["tensors"] = std::move(tensors);
    json["cost"] = run_cost_json(clock.cost());
    openworld::print_json(json);
  }

  static void print_text(const ClipCheckpoint& model) {
    const ClipConfig& config = model.config();
    const Parameters parameters = count_parameters(model);
    print_out("CLIP with {} parameters, format {}\n\n", parameters.total, model.format());
    TextTable towers({"", "width", "layers", "heads", "MLP", "parameters"});
    const auto add = [&](const char* name, const TowerConfig& tower, std::int64_t count) {
      towers.add({name, std::to_string(tower.width), std::to_string(tower.layers),
                  std::to_string(tower.heads), std::to_string(tower.mlp), std::to_string(count)});
    };
    add("vision", config.vision, parameters.vision);
    add("text", config.text, parameters.text);
    const Preprocessing& images = config.preprocessing;
    print_table(towers);
    print_out("\n");
    print_out("images: {} x {} pixels, patches of {}, grid of {} x {}\n", images.image_size,
              images.image_size, config.patch, config.grid(), config.grid());
    for (const StemLayer& layer : config.stem) {
      print_out("stem: 3 x 3 convolution to {} channels, stride {}\n", layer.channels,
                layer.stride);
    }
    print_out("normalised by: mean {:g}, std {:g}\n", fmt::join(images.mean, " "),
              fmt::join(images.std, " "));
    print_out("text: up to {} of {} tokens, vocabulary {}\n", config.context, config.vocabulary,
              model.vocabulary_path().empty() ? "none" : model.vocabulary_path());
    print_out("joint space: {} dimensions\n", config.embed);
    print_out("activation: {}, layer norm epsilon {:g}\n", activation_name(config.activation),
              config.layer_norm_eps);
    print_out("stored as: {}\n", fmt::join(type_names(model), ", "));
    for (const std::string& file : model.files()) {
      print_out("file: {}, {} bytes\n", file, size_of(file));
    }
    print_out("SHA-256: {}\n", hex_text(model.sha256()));
    for (const std::string& note : model.notes()) print_out("note: {}\n", note);
  }

  static void print_tensors(const ClipCheckpoint& model) {
    TextTable table({"tensor", "type", "shape"});
    for (const TensorSpec& tensor : model.tensors()) {
      table.add({tensor.name, std::string(tensor_type(model.stored_type(tensor.name)).name),
                 tensor_shape_text(tensor.shape)});
    }
    print_out("\n");
    print_table(table);
  }

  std::string path_;
  std::string activation_;
  bool tensors_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_inspect() {
  return std::make_unique<Inspect>();
}

}  // namespace openworld
