#pragma once

// Maps tensor names in files to the names inside the project.
//
// OpenAI and OpenCLIP use the names of clip_tensors; Hugging Face has its own, splits the attention
// projection in three and transposes the two projections into the joint space.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/checkpoint/clip_config.h"

namespace openworld {

enum class TensorNames { kOpenAi, kHuggingFace };

// A tensor of a file that is a part of a tensor of clip_tensors, or all of it.
struct StoredPart {
  std::string name;
  std::vector<std::int64_t> shape;  // in the file
  bool transposed = false;
};

// What `tensor` is made of in a file with such names, to be stacked along the first dimension.
std::vector<StoredPart> stored_parts(const TensorSpec& tensor, TensorNames names);

// What comes before the number in the names of a tower's blocks, and of the stem's layers.
struct NumberedPrefixes {
  std::string_view text_blocks, vision_blocks, stem;
};
NumberedPrefixes numbered_prefixes(TensorNames names);

// Entries beside the weights that are known and not needed: position ids, masks, sizes.
bool is_bookkeeping(std::string_view name);

}  // namespace openworld
