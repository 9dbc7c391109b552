#include "openworld/checkpoint/clip_architecture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "openworld/io/json_fields.h"

namespace openworld {
namespace {

constexpr std::int64_t kHeadWidth = 64;

void check_preprocessing(const JsonFields& fields, std::string_view mean, std::string_view std,
                         Preprocessing& preprocessing) {
  preprocessing.mean = fields.triple(mean, preprocessing.mean);
  preprocessing.std = fields.triple(std, preprocessing.std);
  const auto is_finite = [](double value) { return std::isfinite(value); };
  const auto is_positive = [](double value) { return std::isfinite(value) && value > 0; };
  if (!std::all_of(preprocessing.mean.begin(), preprocessing.mean.end(), is_finite)) {
    fields.fail(mean, "three finite numbers");
  }
  if (!std::all_of(preprocessing.std.begin(), preprocessing.std.end(), is_positive)) {
    fields.fail(std, "three numbers above 0");
  }
}

Activation read_hidden_act(const JsonFields& tower) {
  const auto activation = find_activation(tower.text("hidden_act", "quick_gelu"));
  if (!activation) tower.fail("hidden_act", "quick_gelu or gelu");
  return *activation;
}

std::vector<StemLayer> read_stem(const JsonFields& vision) {
  std::vector<StemLayer> stem;
  if (!vision.has("openworld_stem")) return stem;
  const nlohmann::json& list = vision["openworld_stem"];
  constexpr std::size_t kMostLayers = 16;
  const auto is_layer = [](const nlohmann::json& layer) {
    const auto is_size = [](const nlohmann::json& n) {
      return n.is_number_unsigned() && n.get<std::uint64_t>() >= 1 &&
             n.get<std::uint64_t>() <= 65536;
    };
    return layer.is_array() && layer.size() == 2 && is_size(layer[0]) && is_size(layer[1]);
  };
  if (!list.is_array() || list.size() > kMostLayers ||
      !std::all_of(list.begin(), list.end(), is_layer)) {
    vision.fail("openworld_stem", "a list of [channels, stride]");
  }
  for (const auto& layer : list) {
    stem.push_back({layer[0].get<std::int64_t>(), layer[1].get<std::int64_t>()});
  }
  return stem;
}

void expect_tower(const JsonFields& fields, const TowerConfig& tower) {
  fields.expect_integer("hidden_size", tower.width);
  fields.expect_integer("num_hidden_layers", tower.layers);
  fields.expect_integer("intermediate_size", tower.mlp);
}

}  // namespace

ClipConfig config_of_shapes(const NamedTensors& tensors, const Origin& origin) {
  std::vector<std::string> missing;
  const auto sides = [&](const std::string& name, std::size_t dimensions) {
    const auto shape = tensors.shape(name);
    if (!shape) missing.push_back(name);
    if (shape && shape->size() != dimensions) {
      origin.fail(fmt::format("misshapen: {} is {}, expected {} dimensions", name,
                              tensor_shape_text(*shape), dimensions));
    }
    return shape.value_or(std::vector<std::int64_t>(dimensions, 1));
  };
  ClipConfig config;
  const auto tokens = sides("token_embedding.weight", 2);
  config.vocabulary = tokens[0];
  config.text.width = tokens[1];
  config.context = sides("positional_embedding", 2)[0];
  config.embed = sides("text_projection", 2)[1];
  config.text.mlp = sides("transformer.resblocks.0.mlp.c_fc.weight", 2)[0];
  const auto patches = sides("visual.conv1.weight", 4);
  config.vision.width = patches[0];
  config.patch = patches[3];
  config.vision.mlp = sides("visual.transformer.resblocks.0.mlp.c_fc.weight", 2)[0];
  const std::int64_t positions = sides("visual.positional_embedding", 2)[0];
  if (!missing.empty()) tensors.fail_missing(missing);

  config.text.layers = tensors.count(&NumberedPrefixes::text_blocks);
  config.vision.layers = tensors.count(&NumberedPrefixes::vision_blocks);
  config.text.heads = std::max<std::int64_t>(config.text.width / kHeadWidth, 1);
  config.vision.heads = std::max<std::int64_t>(config.vision.width / kHeadWidth, 1);
  const auto grid =
      std::llround(std::sqrt(static_cast<double>(std::max<std::int64_t>(positions - 1, 0))));
  if (config.patch > 4096 || grid > 4096) {
    origin.fail(fmt::format("has patches of {} pixels in a grid of {}; expected at most 4096",
                            config.patch, grid));
  }
  config.preprocessing.image_size = grid * config.patch;
  return config;
}

void apply_hugging_face_config(const nlohmann::json& json, const Origin& origin,
                               ClipConfig& config) {
  const JsonFields all(json, "", origin);
  const std::string type = all.text("model_type", "clip");
  if (type != "clip") all.fail("model_type", "\"clip\"");
  const JsonFields text = all.object("text_config"), vision = all.object("vision_config");
  expect_tower(text, config.text);
  expect_tower(vision, config.vision);
  text.expect_integer("vocab_size", config.vocabulary);
  text.expect_integer("max_position_embeddings", config.context);
  vision.expect_integer("patch_size", config.patch);
  all.expect_integer("projection_dim", config.embed);
  // transformers leaves out what equals its defaults.
  config.text.heads = text.integer("num_attention_heads", 8);
  config.vision.heads = vision.integer("num_attention_heads", 12);
  config.stem = read_stem(vision);
  config.preprocessing.image_size = vision.integer("image_size", 224);
  config.activation = read_hidden_act(text);
  if (read_hidden_act(vision) != config.activation) {
    vision.fail("hidden_act", "that of text_config: the towers have one activation");
  }
  config.layer_norm_eps = text.number("layer_norm_eps", config.layer_norm_eps);
  if (!(config.layer_norm_eps > 0 && config.layer_norm_eps < 1)) {
    text.fail("layer_norm_eps", "a number between 0 and 1");
  }
  if (vision.number("layer_norm_eps", 1e-5) != config.layer_norm_eps) {
    vision.fail("layer_norm_eps", "that of text_config: the towers have one epsilon");
  }
}

void apply_open_clip_config(const nlohmann::json& json, const Origin& origin, ClipConfig& config) {
  const JsonFields all(json, "", origin);
  const JsonFields model = all.object("model_cfg");
  model.expect_only({"embed_dim", "vision_cfg", "text_cfg", "quick_gelu", "custom_text",
                     "init_logit_scale", "logit_scale", "cast_dtype", "output_dict"});
  const JsonFields vision = model.object("vision_cfg"), text = model.object("text_cfg");
  for (const std::string_view key : {"timm_model_name", "hf_model_name"}) {
    if (vision.has(key)) vision.fail(key, "CLIP's own vision transformer");
    if (text.has(key)) text.fail(key, "CLIP's own text transformer");
  }
  if (vision["layers"].is_array()) vision.fail("layers", "one number: ResNets are not supported");
  // Values that leave the model as it is.
  const auto expect_default = [](const JsonFields& tower, std::string_view key,
                                 std::string_view value) {
    if (tower.text(key, std::string(value)) != value) tower.fail(key, value);
  };
  expect_default(vision, "pool_type", "tok");
  expect_default(text, "pool_type", "argmax");
  expect_default(text, "proj_type", "linear");
  vision.expect_only({"image_size", "layers", "width", "patch_size", "head_width", "mlp_ratio",
                      "pool_type", "pos_embed_type", "patch_dropout"});
  text.expect_only({"context_length", "vocab_size", "width", "heads", "layers", "mlp_ratio",
                    "pool_type", "proj_type"});
  const auto expect_mlp = [](const JsonFields& tower, const TowerConfig& sizes) {
    const double ratio = tower.number("mlp_ratio", 4.0);
    if (!(std::abs(ratio * static_cast<double>(sizes.width) - static_cast<double>(sizes.mlp)) <
          1)) {
      tower.fail("mlp_ratio", fmt::format("{} / {}, as in the tensors", sizes.mlp, sizes.width));
    }
  };
  model.expect_integer("embed_dim", config.embed);
  vision.expect_integer("width", config.vision.width);
  vision.expect_integer("layers", config.vision.layers);
  vision.expect_integer("patch_size", config.patch);
  expect_mlp(vision, config.vision);
  text.expect_integer("width", config.text.width);
  text.expect_integer("layers", config.text.layers);
  text.expect_integer("context_length", config.context);
  text.expect_integer("vocab_size", config.vocabulary);
  expect_mlp(text, config.text);
  const std::int64_t head = vision.integer("head_width", kHeadWidth);
  if (head == 0 || config.vision.width % head != 0) {
    vision.fail("head_width", fmt::format("a divisor of the width {}", config.vision.width));
  }
  config.vision.heads = config.vision.width / head;
  config.text.heads = text.integer("heads", 8);
  config.preprocessing.image_size = vision.integer("image_size", config.preprocessing.image_size);
  config.activation = model.flag("quick_gelu", false) ? Activation::kQuickGelu : Activation::kGelu;

  if (!all.has("preprocess_cfg")) return;
  const JsonFields preprocess = all.object("preprocess_cfg");
  check_preprocessing(preprocess, "mean", "std", config.preprocessing);
  if (preprocess.text("interpolation", "bicubic") != "bicubic") {
    preprocess.fail("interpolation", "\"bicubic\"");
  }
  if (preprocess.text("resize_mode", "shortest") != "shortest") {
    preprocess.fail("resize_mode", "\"shortest\"");
  }
}

void apply_preprocessor_config(const nlohmann::json& json, const Origin& origin,
                               ClipConfig& config) {
  const JsonFields fields(json, "", origin);
  const std::int64_t side = config.preprocessing.image_size;
  for (const std::string_view step :
       {"do_resize", "do_center_crop", "do_rescale", "do_normalize"}) {
    if (!fields.flag(step, true)) fields.fail(step, "true");
  }
  constexpr std::int64_t kBicubic = 3;  // PIL's number
  if (fields.integer("resample", kBicubic) != kBicubic) fields.fail("resample", "3, bicubic");
  if (std::abs(fields.number("rescale_factor", 1.0 / 255) * 255 - 1) > 1e-6) {
    fields.fail("rescale_factor", "1/255");
  }
  check_preprocessing(fields, "image_mean", "image_std", config.preprocessing);
  // A number, or since transformers 4.26 an object.
  const std::string expected = fmt::format("{}, the image_size of the vision tower", side);
  if (fields["size"].is_object()) {
    const JsonFields size = fields.object("size");
    if (size.integer("shortest_edge", 0) != side) fields.fail("size", "shortest_edge " + expected);
  } else if (fields.integer("size", side) != side) {
    fields.fail("size", expected);
  }
  if (fields["crop_size"].is_object()) {
    const JsonFields crop = fields.object("crop_size");
    if (crop.integer("height", 0) != side || crop.integer("width", 0) != side) {
      fields.fail("crop_size", "height and width " + expected);
    }
  } else if (fields.integer("crop_size", side) != side) {
    fields.fail("crop_size", expected);
  }
}

void check_config(const ClipConfig& config, std::optional<std::int64_t> positions,
                  const Origin& origin) {
  const auto expect = [&](std::string_view name, std::int64_t value, std::int64_t most) {
    if (value >= 1 && value <= most) return;
    origin.fail(fmt::format("has {} {}; expected 1 to {}", name, value, most));
  };
  // Larger than any model, and small enough that no product of a shape overflows.
  constexpr std::int64_t kWidth = 1 << 16, kRows = 1 << 24;
  expect("vocabulary", config.vocabulary, kRows);
  expect("context", config.context, kRows);
  expect("embedding dimension", config.embed, kWidth);
  expect("patch size", config.patch, 4096);
  expect("image size", config.preprocessing.image_size, 1 << 16);
  for (const auto& [name, tower] : {std::pair{"text", config.text}, {"vision", config.vision}}) {
    expect(fmt::format("{} width", name), tower.width, kWidth);
    expect(fmt::format("{} MLP width", name), tower.mlp, 1 << 18);
    expect(fmt::format("{} layers", name), tower.layers, 1000);
    expect(fmt::format("{} heads", name), tower.heads, tower.width);
    if (tower.width % tower.heads != 0) {
      origin.fail(fmt::format("has {} heads in a {} tower of width {}; expected a divisor",
                              tower.heads, name, tower.width));
    }
  }
  if (config.vocabulary < 2) origin.fail("has a vocabulary without start and end tokens");
  const std::int64_t grid = config.grid();
  if (grid < 1) {
    origin.fail(fmt::format("has images of {} pixels in patches of {}; expected a patch at least",
                            config.preprocessing.image_size, config.patch));
  }
  if (positions && *positions != 1 + grid * grid) {
    origin.fail(
        fmt::format("has {} positions of patches; expected 1 + {} x {} for images of {} "
                    "pixels in patches of {}",
                    *positions, grid, grid, config.preprocessing.image_size, config.patch));
  }
}

}  // namespace openworld
