#pragma once

// Dynamic robustness curves of several methods in several worlds: the metrics of each (drc.h),
// their means over worlds, differences from the zero-shot curves, and Friedman ranks.
//
// The accuracies are means over seeds: the paper averages curves first and computes metrics then.
// A block of the ranks is a level of a world. Levels of one world are not independent, so p-values
// of these blocks would be too small; the average ranks are the thing to read.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "openworld/analysis/drc.h"
#include "openworld/analysis/friedman.h"

namespace openworld {

struct DrcWorld {
  std::string name;
  std::vector<double> levels;                   // ascending
  std::vector<std::vector<double>> accuracies;  // [method][level]
};

struct DrcValues {
  DrcMetrics metrics;
  std::optional<DrcAreas> areas;     // against zero-shot, if there is one
  std::optional<double> expected{};  // EA, with a density
};

struct DrcMethod {
  std::vector<DrcValues> worlds;
  // Means over worlds; acc0 and rcc only if every world has them.
  DrcValues mean;
  std::optional<double> delta_auc, delta_pn;  // as drc.h defines them
};

struct DrcComparison {
  std::vector<DrcMethod> methods;
  // Over the levels of all worlds, and of each world; none with a single method.
  std::optional<FriedmanTest> ranks;
  std::vector<FriedmanTest> ranks_by_world;
};

// `zero_shot` is an index of a method, `density` that of EA. Throws Error, naming the world, for
// curves that drc_metrics refuses. REQUIRES: at least one world, and as many curves in each as
// there are methods.
DrcComparison compare_drc(std::span<const DrcWorld> worlds, std::optional<std::size_t> zero_shot,
                          const std::optional<LevelDensity>& density = std::nullopt);

}  // namespace openworld
