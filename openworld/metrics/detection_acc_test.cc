// Detection accuracy against its definition.

#include "openworld/metrics/detection_acc.h"

#include "openworld/metrics/threshold_test_util.h"

namespace openworld {
namespace {

TEST(DetectionAcc, EqualsItsDefinition) {
  for_each_hard_set([](const TestSet& set, const Ranking& ranking, Side open) {
    const auto base = static_cast<double>(count_of(set, Side::kBase));
    const auto other = static_cast<double>(count_of(set, open));
    double best = 0.5;  // nothing is open
    for (const double t : thresholds_of(set, open)) {
      const auto kept = [&](std::size_t i) { return set.score[i] > t; };
      const auto right = static_cast<double>(count_if(set, Side::kBase, kept)) / base;
      const auto wrong = static_cast<double>(count_if(set, open, kept)) / other;
      best = std::max(best, (right + 1 - wrong) / 2);
    }
    const MetricValue value = detection_acc(ranking, {.open = open});
    EXPECT_NEAR(value.value, best, 1e-12);
    const auto kept = [&](std::size_t i) { return set.score[i] > *value.threshold; };
    EXPECT_NEAR((static_cast<double>(count_if(set, Side::kBase, kept)) / base + 1 -
                 static_cast<double>(count_if(set, open, kept)) / other) /
                    2,
                value.value, 1e-12);
  });
}

TEST(DetectionAcc, NeedsBothSides) {
  const TestSet set = golden_set();
  const RankedScores ranked(set.outcomes());
  EXPECT_EQ(detection_acc(Ranking(ranked), {.open = Side::kUnknown}).why, "no unknown samples");
}

}  // namespace
}  // namespace openworld
