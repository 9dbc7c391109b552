#pragma once

// The classes of a dataset as prompts name them, and the sentences for them.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "openworld/cli/model_flags.h"
#include "openworld/worlds/dataset.h"

namespace openworld {

// Names for prompts, with spaces for underscores unless those are kept. Throws Error for classes
// without names, and for two that no prompt tells apart unless that is allowed.
std::vector<std::string> prompt_names(const Dataset& dataset, const DataFlags& flags,
                                      bool keep_underscores, const std::string& function);

// How many of the classes, in order, are base: `base` is all, half or a number. Throws Error.
std::int64_t base_classes(const std::string& base, std::size_t classes,
                          const std::string& function);

// What was asked for, else the dataset's own, else CLIP's first.
std::vector<std::string> choose_templates(const std::string& asked, const Dataset& dataset);

// REQUIRES: contiguous floats.
std::span<const float> floats_of(const at::Tensor& tensor);

}  // namespace openworld
