#include "openworld/checkpoint/config_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "openworld/checkpoint/clip_architecture.h"
#include "openworld/io/json_fields.h"
#include "openworld/io/json_file.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

// What shapes would give; absent keys have the defaults of transformers' CLIPConfig.
ClipConfig sizes_of(const nlohmann::json& json, const Origin& origin) {
  const JsonFields all(json, "", origin);
  const JsonFields text = all.object("text_config"), vision = all.object("vision_config");
  ClipConfig config;
  config.text.width = text.integer("hidden_size", 512);
  config.text.layers = text.integer("num_hidden_layers", 12);
  config.text.mlp = text.integer("intermediate_size", 2048);
  config.vision.width = vision.integer("hidden_size", 768);
  config.vision.layers = vision.integer("num_hidden_layers", 12);
  config.vision.mlp = vision.integer("intermediate_size", 3072);
  config.vocabulary = text.integer("vocab_size", 49408);
  config.context = text.integer("max_position_embeddings", 77);
  config.patch = vision.integer("patch_size", 32);
  config.embed = all.integer("projection_dim", 512);
  return config;
}

}  // namespace

const std::vector<NamedConfig>& named_configs() {
  static const std::vector<NamedConfig> configs = {
      {"pocket", "a small model for drawings and icons of 32 pixels", pocket_config},
      {"vit-b-32", "OpenAI's ViT-B/32", vit_b32_config},
      {"vit-b-16", "OpenAI's ViT-B/16", vit_b16_config},
      {"vit-l-14", "OpenAI's ViT-L/14", vit_l14_config},
  };
  return configs;
}

ClipConfig read_clip_config(const std::string& name_or_path, std::string_view function) {
  std::string names;
  for (const NamedConfig& row : named_configs()) {
    if (row.name == name_or_path) return row.make();
    names += fmt::format("{}, ", row.name);
  }
  fs::path path = name_or_path;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) path /= "config.json";
  const Origin origin{std::string(function), path.string()};
  if (!fs::is_regular_file(path, ignored)) {
    origin.fail(fmt::format("does not exist; expected one of {}or a config.json", names));
  }
  const nlohmann::json json = read_json_file(origin);
  ClipConfig config = sizes_of(json, origin);
  apply_hugging_face_config(json, origin, config);
  const fs::path preprocessor = path.parent_path() / "preprocessor_config.json";
  if (fs::is_regular_file(preprocessor, ignored)) {
    const Origin beside{origin.function, preprocessor.string()};
    apply_preprocessor_config(read_json_file(beside), beside, config);
  }
  check_config(config, std::nullopt, origin);
  return config;
}

}  // namespace openworld
