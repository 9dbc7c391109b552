// FPR at TPR against its definition over every threshold.

#include "openworld/metrics/fpr_at_tpr.h"

#include "openworld/metrics/threshold_test_util.h"

namespace openworld {
namespace {

constexpr double kRates[] = {0, 0.1, 0.5, 0.9, 0.95, 0.99, 1};

double by_definition(const TestSet& set, Side open, bool base, double q) {
  double best = 2;
  for (const double t : thresholds_of(set, open)) {
    const auto called = [&](std::size_t i) { return base ? set.score[i] > t : set.score[i] <= t; };
    const double tpr = rate_of(set, base ? Side::kBase : open, called);
    const double fpr = rate_of(set, base ? open : Side::kBase, called);
    if (tpr >= q) best = std::min(best, fpr);
  }
  return best;
}

TEST(FprAtTpr, EqualsItsDefinition) {
  for_each_hard_set([](const TestSet& set, const Ranking& ranking, Side open) {
    for (const double q : kRates) {
      const MetricOptions options{.open = open, .params = {q}};
      EXPECT_EQ(fpr_at_tpr(ranking, options).value, by_definition(set, open, true, q));
      EXPECT_EQ(fpr_at_tpr_new(ranking, options).value, by_definition(set, open, false, q));
    }
  });
}

TEST(FprAtTpr, TheThresholdGivesTheValue) {
  for_each_hard_set([](const TestSet& set, const Ranking& ranking, Side open) {
    for (const double q : kRates) {
      const MetricOptions options{.open = open, .params = {q}};
      const MetricValue base = fpr_at_tpr(ranking, options);
      const auto accepted = [&](std::size_t i) { return set.score[i] > *base.threshold; };
      EXPECT_GE(rate_of(set, Side::kBase, accepted), q);
      EXPECT_EQ(rate_of(set, open, accepted), base.value);
      const MetricValue other = fpr_at_tpr_new(ranking, options);
      const auto rejected = [&](std::size_t i) { return set.score[i] <= *other.threshold; };
      EXPECT_GE(rate_of(set, open, rejected), q);
      EXPECT_EQ(rate_of(set, Side::kBase, rejected), other.value);
    }
  });
}

// scikit-learn 1.2.1: fpr[tpr >= q].min() of roc_curve(y, r) and of roc_curve(1 - y, -r).
TEST(FprAtTpr, EqualsScikitLearn) {
  const TestSet set = golden_set();
  const RankedScores ranked(set.outcomes());
  const Ranking ranking(ranked);
  EXPECT_EQ(fpr_at_tpr(ranking, {.params = {0.95}}).value, 0.8);
  EXPECT_EQ(fpr_at_tpr(ranking, {.params = {0.9}}).value, 0.7);
  EXPECT_EQ(fpr_at_tpr(ranking, {.params = {0.8}}).value, 0.4);
  EXPECT_EQ(fpr_at_tpr_new(ranking, {.params = {0.95}}).value, 0.9);
  EXPECT_EQ(fpr_at_tpr_new(ranking, {.params = {0.9}}).value, 0.6);
  EXPECT_EQ(fpr_at_tpr_new(ranking, {.params = {0.8}}).value, 0.4);
}

TEST(FprAtTpr, NineteenOfTwentyAreNinetyFivePercent) {
  TestSet set;
  for (int i = 0; i < 20; ++i) set.add(Side::kBase, i, true);
  set.add(Side::kNew, 0.5, true);
  const RankedScores ranked(set.outcomes());
  const MetricValue fpr = fpr_at_tpr(Ranking(ranked), {.params = {0.95}});
  EXPECT_EQ(fpr.value, 0);
  EXPECT_EQ(fpr.threshold, 0.5);
}

// Several blocks of the vectorised count, with ties across their borders.
TEST(FprAtTpr, DoesNotSeeBlocks) {
  for (const int distinct : {0, 2, 500}) {
    const TestSet set = random_set(
        {.base = 40000, .new_side = 30000, .unknown = 7000, .distinct = distinct, .separation = 2},
        9);
    const RankedScores ranked(set.outcomes());
    std::vector<std::uint8_t> weights(set.size());
    Random random(1);
    for (auto& weight : weights) weight = static_cast<std::uint8_t>(random.below(256));
    for (const Ranking& ranking : {Ranking(ranked), Ranking(ranked, weights)}) {
      const auto base = static_cast<double>(ranking.totals().base());
      const auto new_side = static_cast<double>(ranking.totals().new_samples());
      double best = 1;
      ranking.for_each_threshold([&](std::size_t, const KindCounts& below) {
        const double tpr = (base - static_cast<double>(below.base())) / base;
        if (tpr >= 0.95) best = (new_side - static_cast<double>(below.new_samples())) / new_side;
        return true;
      });
      EXPECT_EQ(fpr_at_tpr(ranking, {.params = {0.95}}).value, best);
    }
  }
}

TEST(FprAtTpr, HasThePropertiesOfARanking) {
  for (const double q : kRates) {
    const MetricOptions options{.params = {q}};
    for (const auto compute : {fpr_at_tpr, fpr_at_tpr_new}) {
      const auto at_q = [&](const Ranking& ranking) { return compute(ranking, options); };
      expect_weights_are_repetitions(at_q);
      expect_monotone_maps_change_nothing(at_q);
      expect_empty_sides_are_named(at_q, "no new samples");
    }
  }
}

TEST(FprAtTpr, ATprAboveOneIsUndefined) {
  const TestSet set = golden_set();
  const RankedScores ranked(set.outcomes());
  EXPECT_EQ(fpr_at_tpr(Ranking(ranked), {.params = {1.5}}).why, "no threshold has a TPR of 1.5");
}

}  // namespace
}  // namespace openworld
