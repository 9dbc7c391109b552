// The propositions on metrics of Hua et al., "OpenworldAUC: Towards Unified Evaluation and
// Optimization for Open-world Prompt Tuning", ICML 2025. Where one says that a counter-example
// exists, the test builds it.

#include <gtest/gtest.h>

#include <algorithm>

#include "openworld/analysis/sensitivity.h"
#include "openworld/metrics/accuracy.h"
#include "openworld/metrics/auroc.h"
#include "openworld/metrics/hm.h"
#include "openworld/metrics/openworld_auc.h"
#include "openworld/metrics/test_util.h"

namespace openworld {
namespace {

double value(const MetricRow& row, const TestSet& set) {
  const RankedScores ranked(set.outcomes());
  const MetricValue v = row.compute(Ranking(ranked), {});
  EXPECT_TRUE(v.defined()) << v.why;
  return v.value;
}

// Share of samples that both stages get right at threshold t.
double right_at(const TestSet& set, double t) {
  TestSet two_stages = set;
  two_stages.overall_correct.clear();
  const RankedScores ranked(two_stages.outcomes());
  const auto& totals = ranked.totals();
  return overall_at_ratio(Ranking(ranked), double(totals.new_samples()) / double(totals.base()),
                          {.threshold = t})
      .value;
}

double pairs(const TestSet& set) {
  return sum_over_pairs(set, Side::kNew, [](auto, auto) { return 1.0; });
}

// HM does not see that a base sample has moved to the side of the new ones.
TEST(Proposition, 3_1) {
  TestSet good;
  for (const double r : {1.0, 0.8}) good.add(Side::kBase, r, true);
  for (const double r : {-0.5, -1.0}) good.add(Side::kNew, r, true);
  TestSet worse = good;
  worse.score[0] = -2;
  EXPECT_EQ(value(kHm, worse), value(kHm, good));
  EXPECT_LT(right_at(worse, 0), right_at(good, 0));
  EXPECT_LT(value(kOpenworldAuc, worse), value(kOpenworldAuc, good));
}

// Four samples of the construction of 4.1 within a random set: r(b1) > r(n1) > r(b2) > r(n2), b1
// right, b2 wrong, n1 wrong, n2 as asked. They are rows 0 to 3: b1, b2, n1, n2.
TestSet with_four(bool n2_right, std::uint64_t seed) {
  const TestSet others = random_set({.base = 30, .new_side = 25}, seed);
  Random random(seed, 4);
  std::vector<double> r(4);
  for (double& x : r) x = random.normal();
  std::sort(r.rbegin(), r.rend());
  TestSet set;
  set.add(Side::kBase, r[0], true);
  set.add(Side::kBase, r[2], false);
  set.add(Side::kNew, r[1], false);
  set.add(Side::kNew, r[3], n2_right);
  for (std::size_t i = 0; i < others.size(); ++i) {
    set.add(Side{others.side[i]}, others.score[i], others.correct[i]);
  }
  return set;
}

// b1 trades its score with b2, and n1 with n2.
TestSet traded(const TestSet& set) {
  TestSet worse = set;
  std::swap(worse.score[0], worse.score[1]);
  std::swap(worse.score[2], worse.score[3]);
  return worse;
}

// No function of AUROC, BaseAcc and NewAcc sees the trade, which loses right answers.
TEST(Proposition, 4_1) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const TestSet set = with_four(true, seed), worse = traded(set);
    for (const MetricRow* row : {&kAuroc, &kBaseAcc, &kNewAcc}) {
      EXPECT_EQ(value(*row, worse), value(*row, set)) << row->info.name;
    }
    const double t = (set.score[2] + set.score[1]) / 2;  // r(n1) > t > r(b2)
    EXPECT_NEAR(right_at(set, t) - right_at(worse, t), 2.0 / double(set.size()), 1e-12);
  }
}

// OpenworldAUC is the area under HitRate over MissRate.
TEST(Proposition, 4_2) {
  for (const double separation : {-1.0, 0.0, 2.0}) {
    const TestSet set = random_set({.base = 300, .new_side = 200, .separation = separation}, 5);
    const RankedScores ranked(set.outcomes());
    const Ranking ranking(ranked);
    const KindCounts& all = ranking.totals();
    double area = 0, last_miss = 0;
    ranking.for_each_threshold([&](std::size_t rank, const KindCounts& below) {
      const auto wrong_above = all.of[kBaseWrong] - below.of[kBaseWrong];
      const double miss = double(below.base() + wrong_above) / double(all.base());
      const double hit = double(below.of[kNewRight]) / double(all.new_samples());
      if (rank != Ranking::kBeforeAll) area += hit * (miss - last_miss);
      last_miss = miss;
      return true;
    });
    EXPECT_NEAR(area, openworld_auc(ranking).value, 1e-12);
  }
}

// With OpenworldAUC u, HitRate >= 1 - (1 - u) / MissRate at every threshold.
TEST(Proposition, 4_3_BoundsTheHitRate) {
  for (const Shape& shape : hard_shapes()) {
    const TestSet set = random_set(shape, 6);
    const RankedScores ranked(set.outcomes());
    const Ranking ranking(ranked);
    const KindCounts& all = ranking.totals();
    const double u = openworld_auc(ranking).value;
    ranking.for_each_threshold([&](std::size_t, const KindCounts& below) {
      const auto wrong_above = all.of[kBaseWrong] - below.of[kBaseWrong];
      const double miss = double(below.base() + wrong_above) / double(all.base());
      const double hit = double(below.of[kNewRight]) / double(all.new_samples());
      if (miss > 0) {
        EXPECT_GE(hit, 1 - (1 - u) / miss - 1e-12);
      }
      return true;
    });
  }
}

// Appendix A.4, case 1: n2 is wrong as well. OpenworldAUC falls by one pair for each right new
// sample between b1 and b2, so it stays only where there is none.
TEST(Proposition, 4_3_SeesTheTradeCase1) {
  int fell = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const TestSet set = with_four(false, seed), worse = traded(set);
    double between = 0;
    for (std::size_t j = 0; j < set.size(); ++j) {
      if (set.side[j] != static_cast<int>(Side::kNew) || !set.correct[j]) continue;
      between += set.score[0] > set.score[j] && set.score[j] > set.score[1];
    }
    const double drop = value(kOpenworldAuc, set) - value(kOpenworldAuc, worse);
    EXPECT_NEAR(drop, between / pairs(set), 1e-12);
    fell += drop > 1e-12;
  }
  EXPECT_GT(fell, 40);
}

// Case 2: n2 is right, as in 4.1. OpenworldAUC falls by a pair at least.
TEST(Proposition, 4_3_SeesTheTradeCase2) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const TestSet set = with_four(true, seed), worse = traded(set);
    EXPECT_GE(value(kOpenworldAuc, set) - value(kOpenworldAuc, worse), 1 / pairs(set) - 1e-12);
  }
}

// The truth table: 1 - g r h against !g + g !r h + !h.
TEST(Proposition, 5_1_HoldsOnlyIfPlusIsOr) {
  for (int bits = 0; bits < 8; ++bits) {
    const bool g = bits & 1, r = bits & 2, h = bits & 4;
    const int left = 1 - (g && r && h);
    EXPECT_EQ(!g || (g && !r && h) || !h, left == 1);
    EXPECT_EQ(int{!g} + int{g && !r && h} + int{!h}, !g && !h ? 2 : left);
  }
}

double objective(const TestSet& set) {
  return sum_over_pairs(set, Side::kNew,
                        [&](std::size_t i, std::size_t j) {
                          const bool g = set.correct[i], h = set.correct[j];
                          return double(!g) + double(!h) +
                                 double(g && set.score[i] <= set.score[j] && h);
                        }) /
         pairs(set);
}

// As arithmetic the objective is 1 - OpenworldAUC plus P(both classes wrong).
TEST(Proposition, 5_1_ObjectiveCountsPairsWrongTwiceTwice) {
  for (const Shape& shape : hard_shapes()) {
    const TestSet set = random_set(shape, 7);
    const double both_wrong = (1 - value(kBaseAcc, set)) * (1 - value(kNewAcc, set));
    EXPECT_NEAR(objective(set), 1 - value(kOpenworldAuc, set) + both_wrong, 1e-12);
  }
}

// So a lower objective need not be a higher OpenworldAUC: 0.6 x 0.6 against 1.0 x 0.35.
TEST(Proposition, 5_1_IsNoEquivalence) {
  const auto perfect_ranking = [](int base_right, int new_right) {
    TestSet set;
    for (int i = 0; i < 20; ++i) set.add(Side::kBase, 1, i < base_right);
    for (int i = 0; i < 20; ++i) set.add(Side::kNew, 0, i < new_right);
    return set;
  };
  const TestSet balanced = perfect_ranking(12, 12), lopsided = perfect_ranking(20, 7);
  EXPECT_NEAR(value(kOpenworldAuc, balanced), 0.36, 1e-12);
  EXPECT_NEAR(value(kOpenworldAuc, lopsided), 0.35, 1e-12);
  EXPECT_LT(objective(lopsided), objective(balanced));
}

}  // namespace
}  // namespace openworld
