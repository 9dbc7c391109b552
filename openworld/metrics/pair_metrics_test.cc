// AUROC, OpenAUC, OSCR and OpenworldAUC against their O(n m) definitions.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "openworld/metrics/auroc.h"
#include "openworld/metrics/open_auc.h"
#include "openworld/metrics/openworld_auc.h"
#include "openworld/metrics/oscr.h"
#include "openworld/metrics/test_util.h"

namespace openworld {
namespace {

double phi(double base, double other, Ties ties) {
  if (base > other) return 1;
  return base == other && ties == Ties::kHalf ? 0.5 : 0;
}

double count(const TestSet& set, Side side) {
  return static_cast<double>(
      std::count(set.side.begin(), set.side.end(), static_cast<std::int8_t>(side)));
}

// The definition of a pair metric with the indicators it multiplies.
double by_definition(const TestSet& set, Side open, Ties ties, bool base_right, bool other_right) {
  const double sum = sum_over_pairs(set, open, [&](std::size_t i, std::size_t j) {
    if (base_right && !set.correct[i]) return 0.0;
    if (other_right && !set.correct[j]) return 0.0;
    return phi(set.score[i], set.score[j], ties);
  });
  return sum / (count(set, Side::kBase) * count(set, open));
}

TEST(PairMetrics, EqualTheirDefinitions) {
  for (const Shape& shape : hard_shapes()) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const TestSet set = random_set(shape, seed);
      const RankedScores ranked(set.outcomes());
      const Ranking ranking(ranked);
      for (const Ties ties : {Ties::kStrict, Ties::kHalf}) {
        for (const Side open : {Side::kNew, Side::kUnknown}) {
          if (count(set, open) == 0) continue;
          const MetricOptions options{.ties = ties, .open = open};
          EXPECT_NEAR(auroc(ranking, options).value, by_definition(set, open, ties, false, false),
                      1e-14);
          EXPECT_NEAR(open_auc(ranking, options).value, by_definition(set, open, ties, true, false),
                      1e-14);
          EXPECT_EQ(oscr(ranking, options).value, open_auc(ranking, options).value);
        }
        EXPECT_NEAR(openworld_auc(ranking, {.ties = ties}).value,
                    by_definition(set, Side::kNew, ties, true, true), 1e-14);
      }
    }
  }
}

// A resample is the set with each sample repeated as often as its weight says.
TEST(PairMetrics, WeightsAreRepetitions) {
  for (const Shape& shape : hard_shapes()) {
    const TestSet set = random_set(shape, 11);
    const RankedScores ranked(set.outcomes(), RankedScores::Keep::kOrder);
    Random random(5);
    std::vector<std::uint8_t> weights(set.size());
    TestSet repeated;
    for (std::size_t rank = 0; rank < set.size(); ++rank) {
      weights[rank] = static_cast<std::uint8_t>(random.below(4));
      const std::uint32_t row = ranked.order()[rank];
      for (int k = 0; k < weights[rank]; ++k) {
        repeated.add(Side{set.side[row]}, set.score[row], set.correct[row]);
      }
    }
    if (repeated.size() == 0) continue;
    const Ranking resample(ranked, weights);
    const RankedScores again(repeated.outcomes());
    const Ranking expected(again);
    EXPECT_EQ(resample.totals(), expected.totals());
    EXPECT_EQ(resample.pairs().wins, expected.pairs().wins);
    EXPECT_EQ(resample.pairs().ties, expected.pairs().ties);
  }
}

TEST(PairMetrics, MonotoneMapsChangeNothing) {
  const TestSet set = random_set({.base = 200, .new_side = 150, .unknown = 50, .distinct = 30}, 3);
  TestSet mapped = set;
  for (double& r : mapped.score) r = std::exp(r / 3) - 1e3;
  const RankedScores a(set.outcomes()), b(mapped.outcomes());
  EXPECT_EQ(Ranking(a).pairs().wins, Ranking(b).pairs().wins);
  EXPECT_EQ(Ranking(a).pairs().ties, Ranking(b).pairs().ties);
}

TEST(PairMetrics, SwappingTheSidesMapsAurocToItsComplement) {
  for (const int distinct : {0, 4}) {
    const TestSet set = random_set({.base = 31, .new_side = 47, .distinct = distinct}, 8);
    TestSet swapped = set;
    for (auto& side : swapped.side) side = static_cast<std::int8_t>(1 - side);
    const RankedScores a(set.outcomes()), b(swapped.outcomes());
    EXPECT_NEAR(auroc(Ranking(a)).value, 1 - auroc(Ranking(b)).value, 1e-15);
  }
}

// The authors' code gives 1 here: wrong samples are masked by scores that cross.
TEST(OpenworldAuc, IsZeroForAnInvertedDetectorThatIsAlwaysWrong) {
  TestSet set;
  for (const double r : {0.1, 0.2}) set.add(Side::kBase, r, false);
  for (const double r : {0.8, 0.9}) set.add(Side::kNew, r, false);
  const RankedScores ranked(set.outcomes());
  EXPECT_EQ(openworld_auc(Ranking(ranked)).value, 0);
}

TEST(PairMetrics, AnEmptySideIsUndefinedAndNamed) {
  const TestSet only_base = random_set({.base = 5, .new_side = 0}, 1);
  const RankedScores a(only_base.outcomes());
  EXPECT_EQ(auroc(Ranking(a)).why, "no new samples");
  EXPECT_EQ(openworld_auc(Ranking(a)).why, "no new samples");
  EXPECT_TRUE(std::isnan(auroc(Ranking(a)).value));
  const TestSet only_new = random_set({.base = 0, .new_side = 5}, 1);
  const RankedScores b(only_new.outcomes());
  EXPECT_EQ(auroc(Ranking(b)).why, "no base samples");
}

TEST(OpenSide, FollowsTheRowUnlessAsked) {
  const TestSet set = random_set({.base = 9, .new_side = 8, .unknown = 7}, 1);
  const RankedScores ranked(set.outcomes());
  const Ranking ranking(ranked);
  EXPECT_EQ(open_side(kAuroc, ranking.totals(), {}), Side::kNew);
  EXPECT_EQ(open_side(kOpenAuc, ranking.totals(), {}), Side::kUnknown);
  EXPECT_EQ(open_side(kAuroc, ranking.totals(), {.open = Side::kUnknown}), Side::kUnknown);
  EXPECT_EQ(open_side(kOpenworldAuc, ranking.totals(), {.open = Side::kUnknown}), Side::kNew);
}

}  // namespace
}  // namespace openworld
