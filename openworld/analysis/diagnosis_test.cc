#include "openworld/analysis/diagnosis.h"

#include <gtest/gtest.h>

#include <numeric>

#include "openworld/metrics/auroc.h"
#include "openworld/metrics/test_util.h"

namespace openworld {
namespace {

// The share of pairs that fail `stage` alone, half of those that fail it and another, a third of
// those that fail all: what Shapley's value comes to.
double by_definition(const TestSet& set, Stage stage, Ties ties) {
  const double n = sum_over_pairs(set, Side::kNew, [](auto, auto) { return 1.0; });
  return sum_over_pairs(set, Side::kNew,
                        [&](std::size_t i, std::size_t j) {
                          const auto charge = [&](bool ranked) {
                            const bool fails[] = {!set.correct[i], !set.correct[j], !ranked};
                            return fails[stage] / double(fails[0] + fails[1] + fails[2]);
                          };
                          const auto safe = [&](bool ranked) {
                            return ranked && set.correct[i] && set.correct[j] ? 0.0
                                                                              : charge(ranked);
                          };
                          if (set.score[i] == set.score[j] && ties == Ties::kHalf) {
                            return (safe(true) + safe(false)) / 2;
                          }
                          return safe(set.score[i] > set.score[j]);
                        }) /
         n;
}

TEST(Diagnosis, ChargesEachPairToTheStagesThatFailIt) {
  for (const Shape& shape : hard_shapes()) {
    for (const Ties ties : {Ties::kStrict, Ties::kHalf}) {
      const TestSet set = random_set(shape, 12);
      const RankedScores ranked(set.outcomes());
      const Diagnosis d = diagnose(Ranking(ranked), {.ties = ties});
      ASSERT_TRUE(d.defined());
      for (const Stage stage : {kStageBase, kStageNew, kStageRank}) {
        EXPECT_NEAR(d.cost[stage], by_definition(set, stage, ties), 1e-12);
      }
      EXPECT_NEAR(std::accumulate(d.cost.begin(), d.cost.end(), 0.0), 1 - d.openworld_auc.value,
                  1e-15);
    }
  }
}

TEST(Diagnosis, FactorsMultiplyToTheValue) {
  for (const Shape& shape : hard_shapes()) {
    const TestSet set = random_set(shape, 13);
    const RankedScores ranked(set.outcomes());
    const Diagnosis d = diagnose(Ranking(ranked));
    const double classes = d.base_acc.value * d.new_acc.value;
    EXPECT_NEAR(d.if_perfect[kStageRank], classes, 1e-15);
    EXPECT_EQ(d.ranked_given_right.defined(), classes > 0);
    if (classes == 0) continue;
    EXPECT_NEAR(classes * d.ranked_given_right.value, d.openworld_auc.value, 1e-15);
  }
}

TEST(Diagnosis, SaysWhatOnePerfectStageWouldGive) {
  const TestSet set = random_set({.base = 60, .new_side = 50, .distinct = 12}, 14);
  const RankedScores ranked(set.outcomes());
  const Diagnosis d = diagnose(Ranking(ranked));
  for (const auto& [stage, side] : {std::pair{kStageBase, Side::kBase}, {kStageNew, Side::kNew}}) {
    TestSet mended = set;
    for (std::size_t i = 0; i < set.size(); ++i) {
      if (set.side[i] == static_cast<int>(side)) mended.correct[i] = 1;
    }
    const RankedScores again(mended.outcomes());
    EXPECT_NEAR(d.if_perfect[stage], diagnose(Ranking(again)).openworld_auc.value, 1e-15);
  }
  TestSet mended = set;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (set.side[i] == static_cast<int>(Side::kBase)) mended.score[i] += 1e6;
  }
  const RankedScores again(mended.outcomes());
  EXPECT_NEAR(d.if_perfect[kStageRank], diagnose(Ranking(again)).openworld_auc.value, 1e-15);
}

TEST(Diagnosis, APerfectStageCostsNothing) {
  const TestSet set = random_set({.base_acc = 1, .new_acc = 1}, 15);
  const RankedScores ranked(set.outcomes());
  const Diagnosis d = diagnose(Ranking(ranked), {.ties = Ties::kHalf});
  EXPECT_EQ(d.cost[kStageBase], 0);
  EXPECT_EQ(d.cost[kStageNew], 0);
  EXPECT_NEAR(d.cost[kStageRank], 1 - auroc(Ranking(ranked)).value, 1e-15);
}

TEST(Diagnosis, NamesTheEmptySide) {
  const TestSet set = random_set({.base = 5, .new_side = 0}, 1);
  const RankedScores ranked(set.outcomes());
  const Diagnosis d = diagnose(Ranking(ranked));
  EXPECT_FALSE(d.defined());
  EXPECT_EQ(d.openworld_auc.why, "no new samples");
  EXPECT_FALSE(d.ranked_given_right.defined());
}

}  // namespace
}  // namespace openworld
