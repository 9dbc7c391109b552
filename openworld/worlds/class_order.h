#pragma once

// Datasets with their classes in another order.

#include <cstdint>
#include <span>
#include <vector>

#include "openworld/worlds/dataset.h"

namespace openworld {

// The place of every label in `order`, a permutation of the labels.
std::vector<std::int32_t> places_in(std::span<const std::int32_t> order);

// The dataset with its classes in this order, and labels to match. Samples keep their places.
// REQUIRES: a permutation of all labels.
Dataset reorder_classes(const Dataset& dataset, std::span<const std::int32_t> order);

// The classes `base`, ascending, and then the others of `count`, ascending.
std::vector<std::int32_t> base_first(std::span<const std::size_t> base, std::size_t count);

}  // namespace openworld
