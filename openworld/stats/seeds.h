#pragma once

// A metric over runs with different seeds: mean, spread, and an interval of the mean.
//
//   sd = sqrt(sum (x_i - mean)^2 / (n - 1))      se = sd / sqrt(n)
//   interval = mean +- t_{(1 + level)/2, n - 1} * se                            (Student, 1908)
//
// The interval holds the expected value over seeds with probability `level` when the values are
// close to normal. With n = 3 the factor t is 4.30; the habit of dividing by n and using 1.96
// gives an interval 2.7 times too narrow. It does not cover other test samples: use the
// bootstrap or DeLong for those.

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "openworld/stats/proportions.h"

namespace openworld {

struct SeedSummary {
  std::size_t seeds = 0;
  double mean = 0;
  std::optional<double> sd{};              // none for one seed
  std::optional<double> standard_error{};  // none for one seed
  double level = 0;
  std::optional<Bounds> interval{};  // none for one seed
  std::string undefined{};           // why the three above are missing; empty when they are there
};

// Throws Error when there is no value, when one is not finite, or when level is not in (0, 1).
SeedSummary summarize_seeds(std::span<const double> values, double level = 0.95);

}  // namespace openworld
