#pragma once

// What the scores of an open-set test of a classifier say: counts, accuracy, and for each
// uncertainty how well it tells true positives from errors, with intervals
// (analysis/open_set_metrics.h). Accuracies have Wilson intervals.

#include <cstdint>
#include <optional>
#include <vector>

#include "openworld/analysis/open_set_metrics.h"
#include "openworld/openset/open_set.h"
#include "openworld/stats/proportions.h"

namespace openworld {

// The samples of `test` under its measure number `measure`, out of `images`.
ImageRanking rank_test(const OpenSetTest& test, std::size_t measure, ErrorKind errors,
                       std::size_t images);

// One measure against one kind of error.
struct MeasureResult {
  const UncertaintyRow* measure = nullptr;
  MeasuredValues metrics;
};

struct OutcomeCounts {
  std::int64_t images = 0;
  std::int64_t tp = 0, wrong = 0;      // of the closed test; the others chose a negative query
  std::int64_t ose = 0, rejected = 0;  // of the open test
  std::optional<Proportion> accuracy;  // TP / images; none without images
  std::optional<Proportion> ose_rate;  // OSE / images
};

OutcomeCounts count_outcomes(const OpenSetTest& test, double level);

// All measures of a test. Undefined values say why.
std::vector<MeasureResult> measure_test(const OpenSetTest& test, const OpenSetScores& scores,
                                        ErrorKind errors, const OpenSetCiOptions& options);

}  // namespace openworld
