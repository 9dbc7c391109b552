#pragma once

// Accuracy class by class, and its macro average over the classes of a side.
//
//   mean_class_acc = 1/K sum_c  right_c / total_c
//
// over the K classes of the side that have samples. Unlike BaseAcc and NewAcc it gives a class of
// three images the weight of a class of three thousand. Classes without samples are left out, not
// counted as 0; the macro average is then over fewer classes than there are names.

#include <cstdint>
#include <vector>

#include "openworld/metrics/metric.h"

namespace openworld {

struct ClassAccuracy {
  Side side;
  std::int32_t label;  // index among the names of the side
  std::int64_t right;
  std::int64_t total;  // > 0
  double accuracy;
  Interval interval;  // Wilson
};

// Base classes first, each side by index. Throws Error when labels are absent or the order of the
// rows was not kept.
std::vector<ClassAccuracy> per_class_accuracy(const Ranking& ranking, double level = 0.95);

MetricValue mean_class_acc_base(const Ranking& ranking, const MetricOptions& options = {});
MetricValue mean_class_acc_new(const Ranking& ranking, const MetricOptions& options = {});

extern const MetricRow kMeanClassAccBase;
extern const MetricRow kMeanClassAccNew;

}  // namespace openworld
