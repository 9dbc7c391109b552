#pragma once

// The sizes of a CLIP from the shapes of its tensors, completed by the configuration beside them.

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>

#include "openworld/checkpoint/clip_config.h"
#include "openworld/checkpoint/named_tensors.h"
#include "openworld/io/origin.h"

namespace openworld {

// Widths, layers, patch, context and vocabulary as the shapes have them; heads of 64 channels, the
// resolution that the grid of positions and the patch give, CLIP's own mean and std. Throws Error
// that lists missing tensors or names an invalid size.
ClipConfig config_of_shapes(const NamedTensors& tensors, const Origin& origin);

// Reads what shapes cannot tell (heads, activation, epsilon, resolution, the stem) from a Hugging
// Face config.json. Throws Error if config and shapes contradict each other. Absent keys have the
// defaults of transformers' CLIPConfig.
void apply_hugging_face_config(const nlohmann::json& json, const Origin& origin,
                               ClipConfig& config);

// The same for the model_cfg and preprocess_cfg of an open_clip_config.json. Keys of model_cfg that
// change the model in a way that is not supported throw Error.
void apply_open_clip_config(const nlohmann::json& json, const Origin& origin, ClipConfig& config);

// Hugging Face's preprocessor_config.json. Throws Error unless it asks for a bicubic resize of the
// shorter side and a centre crop, both to config.preprocessing.image_size.
void apply_preprocessor_config(const nlohmann::json& json, const Origin& origin,
                               ClipConfig& config);

// Throws Error unless heads divide widths, the grid has a patch and is that of `positions` (rows of
// the vision tower's positional embedding, where there are weights), and no size is beyond what any
// model has.
void check_config(const ClipConfig& config, std::optional<std::int64_t> positions,
                  const Origin& origin);

}  // namespace openworld
