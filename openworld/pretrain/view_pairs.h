#pragma once

// Which rows of a batch are two views of one image.

#include <cstdint>
#include <vector>

#include "openworld/pretrain/loss_term.h"

namespace openworld {

struct ViewPairs {
  std::vector<std::int64_t> first, second;  // rows; i of both shows one image
};

// In the order of the second views. An image that has one view in the batch is left out.
ViewPairs view_pairs(const ShownBatch& batch);

// Whether some source shows its images twice.
bool has_views(std::span<const StageSource> sources);

}  // namespace openworld
