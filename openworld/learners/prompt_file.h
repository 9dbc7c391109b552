#pragma once

// Learned tensors in safetensors files, to keep and to load again.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "openworld/io/origin.h"
#include "openworld/io/safetensors.h"
#include "openworld/learners/learner.h"

namespace openworld {

// Tensors under names with a prefix.
using TensorGroups = std::vector<std::pair<std::string, const NamedTensors*>>;

// Writes the groups; `text`, and `numbers`, are kept beside them if not empty. Throws Error.
void write_tensors(const std::string& path, const TensorGroups& groups,
                   const std::string& text = "", const std::vector<std::int64_t>& numbers = {});

// Copies the tensors of the file into those of the groups, all or, if one is missing or of another
// shape, none. Throws Error.
void read_tensors(const Safetensors& file, const Origin& origin, const TensorGroups& groups);

// What write_tensors kept beside them. Throws Error if it is not there.
std::string read_text(const Safetensors& file, const Origin& origin);
std::vector<std::int64_t> read_numbers(const Safetensors& file, const Origin& origin);

// The prompts of a learner: parameters and constants. Throws Error.
void save_prompts(const Learner& learner, const std::string& path);
void load_prompts(const Learner& learner, const std::string& path);

}  // namespace openworld
