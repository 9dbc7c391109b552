#include "openworld/vlm/forest_plan.h"

#include <gtest/gtest.h>

#include "openworld/base/error.h"

namespace openworld {
namespace {

constexpr std::size_t kBoth[] = {0, 1};

std::vector<PromptRow> tokens(std::initializer_list<std::int32_t> ids) {
  std::vector<PromptRow> rows;
  for (const std::int32_t id : ids) rows.push_back(token_row(id));
  return rows;
}

TEST(TextForest, SharesPrefixes) {
  TextForest forest;
  forest.read(forest.add(TextForest::kRoot, tokens({98, 1, 2, 3, 1, 10, 5, 99})));
  forest.read(forest.add(TextForest::kRoot, tokens({98, 1, 2, 3, 1, 11, 5, 99})));
  EXPECT_EQ(forest.nodes(), 11u);
  const ForestPlan plan = plan_forest(forest, kBoth, false);
  ASSERT_EQ(plan.stages.size(), 1u);
  EXPECT_EQ(plan.stages[0].layout.rows, 11);
  EXPECT_EQ(plan.stages[0].layout.frozen, 11);
  EXPECT_EQ(plan.stages[0].source,
            (std::vector<std::int32_t>{98, 1, 2, 3, 1, 10, 5, 99, 11, 5, 99}));
  EXPECT_EQ(plan.position, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7, 5, 6, 7}));
  EXPECT_EQ(plan.frozen_readouts, (std::vector<std::int32_t>{7, 10}));
  // The first name follows its prefix in memory, the second does not.
  const AttentionPlan& attention = plan.stages[0].layout.frozen_attention;
  ASSERT_EQ(attention.groups.size(), 3u);
  EXPECT_EQ(attention.groups[1].ranges, 1);
  EXPECT_EQ(attention.groups[2].ranges, 2);
  EXPECT_EQ(attention.groups[2].first_seen, 6);
  EXPECT_EQ(attention.groups[2].keys(), 8);
}

TEST(TextForest, DropsWhatNoReadOutNeeds) {
  TextForest forest;
  const auto middle = forest.add(TextForest::kRoot, tokens({98, 1, 2}));
  forest.add(middle, tokens({3, 4, 5}));
  forest.read(middle);
  constexpr std::size_t kOnly[] = {0};
  EXPECT_EQ(plan_forest(forest, kOnly, false).stages[0].layout.rows, 3);
}

TEST(TextForest, RowsBelowALearnableRowAreLive) {
  TextForest forest;
  const auto name = forest.add(TextForest::kRoot, tokens({98, 7}));
  const auto context = forest.add(name, learnable_row(4));
  forest.read(forest.add(context, tokens({5, 99})));
  forest.read(name);
  const ForestPlan plan = plan_forest(forest, kBoth, false);
  EXPECT_EQ(plan.stages[0].layout.frozen, 2);
  EXPECT_EQ(plan.stages[0].layout.rows, 5);
  EXPECT_EQ(plan.learnable_rows, 5);
  EXPECT_EQ(plan.feature, (std::vector<std::int64_t>{1, 0}));  // the frozen read-out comes first
  EXPECT_EQ(plan_forest(forest, kBoth, true).stages[0].layout.frozen, 0);
}

// Two classes that differ only in what replaces their context at block 2.
TEST(TextForest, SharesRowsUntilADeepRowTellsThemApart) {
  TextForest forest;
  for (std::int32_t c = 0; c < 2; ++c) {
    const auto start = forest.add(TextForest::kRoot, token_row(98));
    PromptRow context = learnable_row(0);
    context.deep = {{2, 1 + c}};
    forest.read(forest.add(forest.add(start, context), token_row(99)));
  }
  const ForestPlan plan = plan_forest(forest, kBoth, false);
  ASSERT_EQ(plan.stages.size(), 2u);
  EXPECT_EQ(plan.stages[0].layout.rows, 3);
  EXPECT_EQ(plan.stages[1].first_block, 2);
  EXPECT_EQ(plan.stages[1].layout.rows, 5);
  EXPECT_EQ(plan.stages[1].source, (std::vector<std::int32_t>{0, ~1, 2, ~2, 2}));
}

TEST(TextForest, UnseenRowsAreNoKeys) {
  TextForest forest;
  const auto end = forest.add(TextForest::kRoot, tokens({98, 99}));
  for (std::int32_t i = 0; i < 2; ++i) {
    forest.read(forest.add(end, {.learnable = i, .positioned = false, .visible = false}));
  }
  const ForestPlan plan = plan_forest(forest, kBoth, false);
  EXPECT_EQ(plan.position, (std::vector<std::int32_t>{0, 1, -1, -1}));
  for (const QueryGroup& group : plan.live_readout_attention.groups) EXPECT_EQ(group.keys(), 2);
  for (const QueryGroup& group : plan.stages[0].layout.live_attention.groups) {
    EXPECT_EQ(group.keys(), 2);
  }
}

TEST(TextForest, RefusesRowsThatMeanNothing) {
  TextForest forest;
  EXPECT_THROW(forest.add(TextForest::kRoot, PromptRow()), Error);
  EXPECT_THROW(forest.add(TextForest::kRoot, {.token = 1, .learnable = 1}), Error);
  EXPECT_THROW(forest.add(TextForest::kRoot, {.token = 1, .visible = false}), Error);
  EXPECT_THROW(forest.add(TextForest::kRoot, {.token = 1, .deep = {{0, 0}}}), Error);
  EXPECT_THROW(forest.add(TextForest::kRoot, {.token = 1, .deep = {{2, 0}, {1, 0}}}), Error);
  EXPECT_THROW(forest.add(TextForest::kRoot, {.token = 1, .deep = {{1, -1}}}), Error);
  EXPECT_THROW(forest.add(3, token_row(1)), Error);
  EXPECT_THROW(forest.read(0), Error);
}

}  // namespace
}  // namespace openworld
