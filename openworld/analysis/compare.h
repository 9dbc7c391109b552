#pragma once

// Two models on the same samples: is the difference real?
//
// Pairing matters. Two models tend to fail on the same images, and a test that ignores that misses
// most real differences. So each metric gets the paired test that fits it:
//
//   pair metrics   DeLong's test on differences of placements (see delong.h)
//   accuracies     McNemar's exact test on the samples where just one model is right (McNemar,
//                  Psychometrika 1947), with a paired normal interval for the difference
//   all others     a bootstrap that draws the same samples for both models
//
// p-values are two-sided. Several comparisons are adjusted by Holm's method.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/metrics/evaluate.h"

namespace openworld {

struct ComparedMetric {
  MetricRequest request;
  std::optional<Side> open{};  // the side compared with base
  MetricValue a, b;
  double difference = 0;               // b - a; meaningless unless both are defined
  std::optional<Interval> interval{};  // of the difference
  std::optional<double> p_value{};
  std::string_view test{};  // "delong", "mcnemar" or "bootstrap"
  std::string why{};        // why there is no interval or p-value
};

// Compares b against a, metric by metric. Throws Error unless both have the same sides, row by row
// (and the same labels where both have them). With options.ci none, values and differences only;
// with bootstrap, every metric is tested by resampling.
std::vector<ComparedMetric> compare(const Outcomes& a, const Outcomes& b,
                                    std::span<const MetricRequest> requests,
                                    const EvalOptions& options = {});

// Holm's adjusted p-values (Holm, "A simple sequentially rejective multiple test procedure", 1979),
// in the order given.
std::vector<double> holm_adjust(std::span<const double> p_values);

}  // namespace openworld
