#pragma once

// Few-shot sampling, with the draws of the published code.
//
// Both rules draw over all classes of the dataset, in the order in which its list first names
// them, and only afterwards keep those of base classes: the draws of base classes depend on where
// new ones stand in the list. Samples with label -1 are skipped.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "openworld/worlds/dataset.h"

namespace openworld {

enum class ShotRule {
  // Dassl, and so CoOp, CoCoOp, MaPLe and what is built on them: seeded once, one stream over the
  // classes. A class with fewer images than `shots` keeps all it has.
  kCoop,
  // DeCoOp and GMoP: seeded again before every class, so that a class's draw does not depend on
  // the others. A class with fewer images than `shots` repeats them, drawn with replacement.
  kDeCoop,
};

// Indices of samples, class after class, in the order drawn; `shots` of each class, or all of them
// in the order of the list if `shots` is 0. The draws are those of Python's random.Random(seed).
std::vector<std::size_t> few_shot_samples(const Dataset& dataset, std::size_t shots,
                                          std::uint64_t seed, ShotRule rule);

}  // namespace openworld
