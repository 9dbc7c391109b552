#pragma once

// Thinning of one side of a test set, class by class, as `imbalance` and `ratio` do.
//
// Of a class of n images int(max(share n, 1)) are kept. By default they are the first of one
// permutation per class and seed, so that a smaller share keeps a subset of what a larger one
// keeps. The published code (huacong/OpenworldAUC, imb_split of utils/util_data.py) draws anew for
// each share with Python's `random`, in the state that few-shot sampling left: seeded with the
// run's seed, after the draw of the last class. `draws=published` repeats that; shares are then
// not nested.

#include <cstdint>
#include <string>

#include "openworld/scenarios/scenario.h"

namespace openworld {

enum class ThinningDraws { kNested, kPublished };

struct ThinningOptions {
  ThinningDraws draws = ThinningDraws::kNested;
  std::int64_t shots = 16;  // that few-shot sampling drew before; published draws depend on it

  void declare(OptionList& list);
};

// The view with every class of `side` thinned to `share`; other images stay. The view is that of
// base_to_new(). REQUIRES: 0 < share <= 1.
View thinned(const ScenarioData& data, View view, Side side, double share,
             const ThinningOptions& options, std::uint64_t seed);

}  // namespace openworld
