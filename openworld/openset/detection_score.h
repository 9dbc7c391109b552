#pragma once

// Detection scores r: how base-like an image is, from its logits over base and new names. Larger
// means more base-like, for all of them.
//
// Three compare base names with new ones. The others are the uncertainties of uncertainty.h over
// the base names alone (`base_energy`), or over all names (`all_energy`): how well any name on the
// list fits, which tells unknown images from listed ones.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/openset/query_stats.h"
#include "openworld/openset/uncertainty.h"

namespace openworld {

// Of one image. Without new names, `all` is `base`, and `new_side` has no query.
struct SideStats {
  QueryStats base, new_side, all;
};

struct DetectionScore {
  std::string name;   // "msp", "base_energy"
  std::string brief;  // one line, no full stop
  std::string citation;
  bool softmax = true, sigmoid = true;  // for which models it is defined
  bool needs_new = false;               // new names
  bool needs_mild = false;              // QueryStats::mild
  // One of the two: a score of its own, or an uncertainty over `base` or over `all`.
  double (*own)(const SideStats&) = nullptr;
  const UncertaintyRow* measure = nullptr;
  bool over_all = false;

  double value(const SideStats& stats, const LogitForm& form) const;
};

// In the order of listings; the first is the default of softmax models, base_sigmoid that of
// sigmoid models.
std::span<const DetectionScore> detection_scores();

// How many names there are of either side.
struct SideSizes {
  std::size_t base = 0, new_side = 0;
};

// A comma-separated list of names; "" is the default, "all" every one that is defined here. Throws
// Error as [function] for others, with the nearest known name or what it needs.
std::vector<const DetectionScore*> find_detection_scores(std::string_view names,
                                                         OutputActivation activation,
                                                         SideSizes sizes,
                                                         const std::string& function);

}  // namespace openworld
