#include "openworld/checkpoint/save_clip.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "openworld/checkpoint/tensor_names.h"
#include "openworld/io/atomic_file.h"
#include "openworld/io/half.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/safetensors.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFunction = "save_clip_checkpoint";

Json tower_json(const ClipConfig& config, const TowerConfig& tower, std::string_view type) {
  return {{"model_type", type},
          {"hidden_size", tower.width},
          {"intermediate_size", tower.mlp},
          {"num_hidden_layers", tower.layers},
          {"num_attention_heads", tower.heads},
          {"hidden_act", activation_name(config.activation)},
          {"layer_norm_eps", config.layer_norm_eps},
          {"projection_dim", config.embed},
          {"attention_dropout", 0.0},
          {"dropout", 0.0},
          {"initializer_factor", 1.0},
          {"initializer_range", 0.02}};
}

std::string config_json(const ClipConfig& config, TensorType type) {
  Json text = tower_json(config, config.text, "clip_text_model");
  text["vocab_size"] = config.vocabulary;
  text["max_position_embeddings"] = config.context;
  text["bos_token_id"] = config.start_of_text();
  text["eos_token_id"] = config.end_of_text();
  text["pad_token_id"] = config.end_of_text();
  Json vision = tower_json(config, config.vision, "clip_vision_model");
  vision["image_size"] = config.preprocessing.image_size;
  vision["patch_size"] = config.patch;
  vision["num_channels"] = 3;
  if (!config.stem.empty()) {
    Json& stem = vision["openworld_stem"] = Json::array();
    for (const StemLayer& layer : config.stem) {
      stem.push_back(Json::array({layer.channels, layer.stride}));
    }
  }
  const Json json = {{"architectures", {"CLIPModel"}},
                     {"model_type", "clip"},
                     {"projection_dim", config.embed},
                     {"logit_scale_init_value", 2.6592},
                     {"initializer_factor", 1.0},
                     {"torch_dtype", type == TensorType::kF16 ? "float16" : "float32"},
                     {"text_config", std::move(text)},
                     {"vision_config", std::move(vision)}};
  return json.dump(2) + "\n";
}

std::string preprocessor_json(const Preprocessing& preprocessing) {
  const std::int64_t side = preprocessing.image_size;
  const Json json = {{"image_processor_type", "CLIPImageProcessor"},
                     {"feature_extractor_type", "CLIPFeatureExtractor"},
                     {"do_convert_rgb", true},
                     {"do_resize", true},
                     {"size", {{"shortest_edge", side}}},
                     {"resample", 3},
                     {"do_center_crop", true},
                     {"crop_size", {{"height", side}, {"width", side}}},
                     {"do_rescale", true},
                     {"rescale_factor", 1.0 / 255},
                     {"do_normalize", true},
                     {"image_mean", preprocessing.mean},
                     {"image_std", preprocessing.std}};
  return json.dump(2) + "\n";
}

// A tensor as it is written: part `part` of a tensor of the project.
struct Piece {
  StoredPart stored;
  TensorSpec spec;
  std::size_t part = 0;
};

std::vector<Piece> pieces_of(const ClipConfig& config) {
  std::vector<Piece> pieces;
  for (const TensorSpec& spec : clip_tensors(config)) {
    std::vector<StoredPart> parts = stored_parts(spec, TensorNames::kHuggingFace);
    for (std::size_t k = 0; k < parts.size(); ++k) pieces.push_back({std::move(parts[k]), spec, k});
  }
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.stored.name < b.stored.name; });
  return pieces;
}

// Takes its part out of the whole, transposed if it is stored so.
void cut(const Piece& piece, std::span<const float> whole, std::vector<float>& to) {
  const TensorSpec stored{piece.stored.name, piece.stored.shape};
  const auto size = static_cast<std::size_t>(stored.size());
  const auto values = whole.subspan(piece.part * size, size);
  to.assign(values.begin(), values.end());
  if (!piece.stored.transposed) return;
  const auto rows = static_cast<std::size_t>(stored.shape[0]);
  const auto columns = static_cast<std::size_t>(stored.shape[1]);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) to[i * columns + j] = values[j * rows + i];
  }
}

void write_weights(const std::string& path, const ClipConfig& config, const TensorSource& source,
                   TensorType type) {
  const std::vector<Piece> pieces = pieces_of(config);
  std::vector<TensorToWrite> tensors;
  for (const Piece& piece : pieces)
    tensors.push_back({piece.stored.name, type, piece.stored.shape});
  std::vector<float> floats;
  std::vector<std::uint16_t> halves;
  const auto bytes_of = [&](std::size_t i) -> std::span<const std::byte> {
    const std::span<const float> whole = source(pieces[i].spec);
    if (!std::cmp_equal(whole.size(), pieces[i].spec.size())) {
      Origin{std::string(kFunction), path}.fail(fmt::format("got {} values for {}; expected {}",
                                                            whole.size(), pieces[i].spec.name,
                                                            pieces[i].spec.size()));
    }
    cut(pieces[i], whole, floats);
    if (type == TensorType::kF32) return std::as_bytes(std::span(floats));
    halves.resize(floats.size());
    narrow_to_halves(floats, halves);
    return std::as_bytes(std::span(halves));
  };
  write_safetensors(path, tensors, bytes_of, kFunction);
}

}  // namespace

void save_clip_checkpoint(const std::string& folder, const ClipConfig& config,
                          const TensorSource& source, TensorType type,
                          const std::vector<std::string>& vocabulary) {
  const Origin origin{std::string(kFunction), folder};
  if (type != TensorType::kF32 && type != TensorType::kF16) {
    origin.fail(fmt::format("cannot write {}; expected F32 or F16", tensor_type(type).name));
  }
  // Mapped before anything is written, so that a missing one does not leave half a folder, and one
  // that lies in `folder` itself can be replaced by its copy.
  std::vector<std::pair<std::string, Bytes>> copies;
  for (const std::string& file : vocabulary) {
    copies.emplace_back(std::filesystem::path(file).filename().string(),
                        map_file({std::string(kFunction), file}));
  }
  const std::string prefix = folder + "/";
  const std::string config_path = prefix + "config.json";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) origin.fail(fmt::format("cannot create the folder: {}", error.message()));
  std::filesystem::remove(config_path, error);
  if (error) origin.fail(fmt::format("cannot remove config.json: {}", error.message()));
  for (const auto& [name, bytes] : copies) {
    write_file_atomically(prefix + name, as_text(bytes.values), kFunction);
  }
  write_weights(prefix + "model.safetensors", config, source, type);
  write_file_atomically(prefix + "preprocessor_config.json",
                        preprocessor_json(config.preprocessing), kFunction);
  write_file_atomically(config_path, config_json(config, type), kFunction);
}

}  // namespace openworld
