// Hit rate at miss rate against its definition over every threshold.

#include "openworld/metrics/hit_at_miss.h"

#include "openworld/metrics/threshold_test_util.h"

namespace openworld {
namespace {

constexpr double kRates[] = {0, 0.1, 0.3, 0.5, 0.9, 1};

TEST(HitAtMiss, EqualsItsDefinition) {
  int undefined_values = 0;
  for_each_hard_set([&](const TestSet& set, const Ranking& ranking, Side) {
    for (const double a : kRates) {
      double best = -1;
      for (const double t : thresholds_of(set, Side::kNew)) {
        const double miss = rate_of(
            set, Side::kBase, [&](std::size_t i) { return set.score[i] <= t || !set.correct[i]; });
        const double hit = rate_of(
            set, Side::kNew, [&](std::size_t i) { return set.score[i] <= t && set.correct[i]; });
        if (miss <= a) best = std::max(best, hit);
      }
      const MetricValue value = hit_at_miss(ranking, {.params = {a}});
      if (best < 0) {
        EXPECT_TRUE(value.why.starts_with("the classifier alone misses ")) << value.why;
        ++undefined_values;
        continue;
      }
      EXPECT_EQ(value.value, best);
      EXPECT_EQ(value.value, rate_of(set, Side::kNew, [&](std::size_t i) {
                  return set.score[i] <= *value.threshold && set.correct[i];
                }));
    }
  });
  EXPECT_GT(undefined_values, 0);
}

TEST(HitAtMiss, NamesTheMissRateOfTheClassifierAlone) {
  TestSet set;
  for (const bool right : {true, true, false}) set.add(Side::kBase, 1, right);
  set.add(Side::kNew, 0, true);
  const RankedScores ranked(set.outcomes());
  EXPECT_EQ(hit_at_miss(Ranking(ranked), {.params = {0.1}}).why,
            "the classifier alone misses 0.333 of the base samples");
  EXPECT_EQ(hit_at_miss(Ranking(ranked), {.params = {1.0 / 3}}).value, 1);
}

TEST(HitAtMiss, HasThePropertiesOfARanking) {
  for (const double a : kRates) {
    const auto at_a = [&](const Ranking& r) { return hit_at_miss(r, {.params = {a}}); };
    expect_weights_are_repetitions(at_a);
    expect_monotone_maps_change_nothing(at_a);
    expect_empty_sides_are_named(at_a, "no new samples");
  }
}

}  // namespace
}  // namespace openworld
