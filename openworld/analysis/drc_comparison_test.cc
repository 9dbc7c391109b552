#include "openworld/analysis/drc_comparison.h"

#include <gtest/gtest.h>

#include "openworld/base/error.h"

namespace openworld {
namespace {

// Levels 0, 0.5 and 1. In the first world the curves are constant; in the second the method crosses
// zero-shot in the middle of the first half.
std::vector<DrcWorld> two_worlds() {
  return {{"flat", {0, 0.5, 1}, {{0.5, 0.5, 0.5}, {0.75, 0.75, 0.75}}},
          {"crossing", {0, 0.5, 1}, {{0.5, 0.5, 0.5}, {0.75, 0.25, 0.25}}}};
}

TEST(DrcComparison, MeansAndDifferencesByHand) {
  const DrcComparison result = compare_drc(two_worlds(), 0);
  const DrcMethod& method = result.methods[1];
  // Trapezoids: 0.5 * (0.75 + 0.25) / 2 + 0.5 * 0.25.
  EXPECT_DOUBLE_EQ(method.worlds[1].metrics.auc, 0.375);
  EXPECT_DOUBLE_EQ(method.mean.metrics.auc, (0.75 + 0.375) / 2);
  EXPECT_DOUBLE_EQ(*method.mean.metrics.acc0, 0.75);
  EXPECT_DOUBLE_EQ(method.mean.metrics.wa, 0.5);
  EXPECT_DOUBLE_EQ(method.mean.metrics.evm, 0.25);
  // Above: a triangle of base 0.25 and height 0.25. Below: the same, and a rectangle.
  EXPECT_DOUBLE_EQ(method.worlds[1].areas->positive, 0.03125);
  EXPECT_DOUBLE_EQ(method.worlds[1].areas->negative, 0.03125 + 0.125);
  EXPECT_DOUBLE_EQ(*method.delta_auc, (0.25 - 0.125) / 2);
  EXPECT_DOUBLE_EQ(*method.delta_pn, *method.delta_auc);
  EXPECT_DOUBLE_EQ(*result.methods[0].delta_auc, 0);
}

TEST(DrcComparison, RanksAreOverLevelsOfAllWorlds) {
  const DrcComparison result = compare_drc(two_worlds(), std::nullopt);
  ASSERT_TRUE(result.ranks);
  EXPECT_EQ(result.ranks->blocks, 6u);
  EXPECT_DOUBLE_EQ(result.ranks->average_ranks[1], (4 * 1.0 + 2 * 2.0) / 6);
  EXPECT_DOUBLE_EQ(result.ranks_by_world[0].average_ranks[1], 1);
  EXPECT_DOUBLE_EQ(result.ranks_by_world[1].average_ranks[1], 5.0 / 3);
  EXPECT_FALSE(result.methods[1].delta_auc) << "without zero-shot";
  EXPECT_FALSE(result.methods[1].mean.areas);
}

TEST(DrcComparison, OneMethodHasNoRanks) {
  const std::vector<DrcWorld> worlds = {{"w", {0.5, 1}, {{0.5, 0.25}}}};
  const DrcComparison result = compare_drc(worlds, 0);
  EXPECT_FALSE(result.ranks);
  EXPECT_FALSE(result.methods[0].mean.metrics.acc0) << "the first level is not 0";
}

TEST(DrcComparison, ErrorsNameTheWorld) {
  std::vector<DrcWorld> worlds = two_worlds();
  worlds[1].accuracies[1][2] = 2;
  try {
    compare_drc(worlds, 0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("world \"crossing\": "), std::string::npos);
  }
}

}  // namespace
}  // namespace openworld
