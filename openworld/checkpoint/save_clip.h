#pragma once

// Writes a CLIP model as a folder in the layout of Hugging Face, which transformers and
// open_clip_checkpoint read.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "openworld/checkpoint/clip_config.h"
#include "openworld/io/tensor_file.h"

namespace openworld {

// The values of a tensor of clip_tensors, row-major, valid until the next call.
using TensorSource = std::function<std::span<const float>(const TensorSpec& tensor)>;

// Writes config.json, preprocessor_config.json and model.safetensors, of type F32 or F16, and
// copies `vocabulary`, files like merges.txt, under their own names. Creates `folder` if needed.
//
// An existing config.json is removed first, and the new one is written last. A folder without it
// does not open, so a crash in between never leaves new weights with an old configuration. Throws
// Error.
void save_clip_checkpoint(const std::string& folder, const ClipConfig& config,
                          const TensorSource& source, TensorType type = TensorType::kF32,
                          const std::vector<std::string>& vocabulary = {});

}  // namespace openworld
