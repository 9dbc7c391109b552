#pragma once

// Splits that are drawn of a dataset that has none: "test:0.3#1" is 30 % of each class, drawn by
// the seed 1, and "train:0.3#1" the rest. Without "#1" the seed is 1.
//
// Of a class of n images round(fraction n) are tested on, but at least one and at most n - 1; of a
// class of one image none. Every class has a random stream of its own, so that images of one class
// do not move those of another. Images of no class are all tested on.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "openworld/io/origin.h"
#include "openworld/worlds/dataset.h"

namespace openworld {

struct DrawnSplit {
  bool test = false;  // else what is left to train on
  double fraction = 0;
  std::uint64_t seed = 1;

  std::string name() const;  // "test:0.3#1"
};

// Nothing for the name of another split; Error for a fraction that is not between 0 and 1, or a
// seed that is not a number.
std::optional<DrawnSplit> parse_drawn_split(const std::string& name, const Origin& origin);

// The samples that are tested on, ascending. REQUIRES: 0 < fraction < 1.
std::vector<std::size_t> draw_test_samples(const Dataset& dataset, double fraction,
                                           std::uint64_t seed);

// The part of a dataset without splits. Throws Error for a dataset with splits.
Dataset take_drawn_split(Dataset whole, const DrawnSplit& split, const Origin& origin);

}  // namespace openworld
