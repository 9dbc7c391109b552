#pragma once

// A ranking metric: a row with its description (metric_info.h) and its function of
// a Ranking.
//
// Each metric lives in a pair of files that exports its row; table.cc lists the rows, and help,
// listing, docs and Python print them from there.

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "openworld/metrics/metric_info.h"
#include "openworld/metrics/pair_kernel.h"
#include "openworld/metrics/ranking.h"
#include "openworld/stats/interval.h"

namespace openworld {

// What the metric reads besides side, score and correct.
enum Needs : unsigned {
  kNeedsNothing = 0,
  kNeedsOverall = 1,    // overall_correct
  kNeedsLabel = 2,      // label
  kNeedsPredicted = 4,  // label and predicted of every sample, and the number of base classes
};

// Which samples are compared with the base samples by default.
enum class OpenRule {
  kNone,          // the metric has no open side
  kNew,           // always the new samples
  kNewFirst,      // new samples where there are any, else unknown ones: detection metrics
  kUnknownFirst,  // unknown samples where there are any, else new ones: open-set metrics
};

enum class Positive { kNone, kBase, kOpen };

struct MetricOptions {
  std::optional<Ties> ties{};         // default: the row's
  std::optional<Side> open{};         // default: by the row's OpenRule
  std::array<double, 2> params{};     // the row's parameters, as fractions
  std::optional<double> threshold{};  // operating point of the open-set counts; default: the best
  bool grid = false;                  // open-set F over t = 0.01 .. 0.99 instead of every score
};

struct MetricValue {
  double value = std::numeric_limits<double>::quiet_NaN();
  std::string why{};                  // why it is undefined; empty when it is defined
  std::optional<double> threshold{};  // t at which it was reached, where there is one

  bool defined() const { return why.empty(); }
};

MetricValue undefined(std::string why);

// `count` out of `total`; undefined, naming `what` is missing, when total is zero.
MetricValue fraction(double count, std::int64_t total, std::string_view what);

struct MetricRow {
  MetricInfo info;
  Positive positive = Positive::kNone;
  OpenRule open = OpenRule::kNone;
  std::optional<Ties> ties = {};  // default convention; none when ties cannot matter
  unsigned needs = kNeedsNothing;
  MetricValue (*compute)(const Ranking&, const MetricOptions&);
  // For two-sample U-statistics: the kernel whose mean the metric is.
  PairKernel (*kernel)(Side open) = nullptr;
  // For accuracies: 1 or 0 as a sample of this code is right or wrong, -1 where it does not count.
  int (*verdict)(std::uint8_t code) = nullptr;
  // Interval in closed form for the others that have one; nullopt where it does not exist.
  std::optional<Interval> (*interval)(const Ranking&, const MetricOptions&, double level) = nullptr;
};

// The open side that `row` uses on `ranking` under `options`.
Side open_side(const MetricRow& row, const KindCounts& totals, const MetricOptions& options);

// "base", "new" or "unknown".
std::string_view side_name(Side side);

}  // namespace openworld
