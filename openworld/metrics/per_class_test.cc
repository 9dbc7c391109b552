#include "openworld/metrics/per_class.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "openworld/base/error.h"
#include "openworld/metrics/accuracy.h"
#include "openworld/metrics/test_util.h"

namespace openworld {
namespace {

using Key = std::pair<int, int>;  // side, class

std::map<Key, std::pair<int, int>> by_definition(const TestSet& set) {
  std::map<Key, std::pair<int, int>> counts;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (set.side[i] < 0) continue;
    auto& [right, total] = counts[{set.side[i], set.label[i]}];
    right += set.correct[i];
    ++total;
  }
  return counts;
}

TEST(PerClass, EqualsItsDefinition) {
  for (Shape shape : hard_shapes()) {
    for (const int classes : {2, 7, 60}) {
      shape.classes = classes;
      TestSet set = random_set(shape, 5);
      const auto expected = by_definition(set);
      for (const bool counted : {true, false}) {  // whether the numbers of names are known
        if (!counted) set.base_classes = set.new_classes = 0;
        const RankedScores ranked(set.outcomes(), RankedScores::Keep::kOrder);
        const Ranking ranking(ranked);
        const auto actual = per_class_accuracy(ranking);
        ASSERT_EQ(actual.size(), expected.size());
        double sum[2] = {}, n[2] = {};
        auto next = expected.begin();
        for (const ClassAccuracy& c : actual) {
          const auto& [key, counts] = *next++;
          EXPECT_EQ(Key(static_cast<int>(c.side), c.label), key);
          EXPECT_EQ(c.right, counts.first);
          EXPECT_EQ(c.total, counts.second);
          EXPECT_EQ(c.accuracy, static_cast<double>(counts.first) / counts.second);
          EXPECT_EQ(c.interval.low, wilson_proportion(c.right, c.total, 0.95).low);
          sum[key.first] += c.accuracy;
          ++n[key.first];
        }
        EXPECT_NEAR(mean_class_acc_base(ranking).value, sum[0] / n[0], 1e-14);
        EXPECT_NEAR(mean_class_acc_new(ranking).value, sum[1] / n[1], 1e-14);
      }
    }
  }
}

// sklearn 1.2.1: balanced_accuracy_score([0,0,0,0,1,1,2], [0,0,0,1,1,0,2]) = 0.75.
TEST(MeanClassAcc, EqualsBalancedAccuracy) {
  TestSet set;
  set.label = {0, 0, 0, 0, 1, 1, 2};
  set.predicted = {0, 0, 0, 1, 1, 0, 2};
  set.base_classes = 5;  // two names have no samples and are left out
  for (std::size_t i = 0; i < set.label.size(); ++i) {
    set.add(Side::kBase, 0, set.label[i] == set.predicted[i]);
  }
  const RankedScores ranked(set.outcomes(), RankedScores::Keep::kOrder);
  EXPECT_NEAR(mean_class_acc_base(Ranking(ranked)).value, 0.75, 1e-15);
  EXPECT_EQ(mean_class_acc_new(Ranking(ranked)).why, "no new samples");
}

TEST(PerClass, SaysWhatIsMissing) {
  const TestSet no_labels = random_set({}, 1);
  const RankedScores a(no_labels.outcomes(), RankedScores::Keep::kOrder);
  EXPECT_NE(mean_class_acc_base(Ranking(a)).why.find("label"), std::string::npos);
  EXPECT_THROW(per_class_accuracy(Ranking(a)), Error);
  const TestSet set = random_set({.classes = 3}, 1);
  const RankedScores b(set.outcomes());
  EXPECT_NE(mean_class_acc_new(Ranking(b)).why.find("order"), std::string::npos);
  EXPECT_THROW(per_class_accuracy(Ranking(b)), Error);
}

// Without the number of names one absurd label costs one entry, not a table of that length.
TEST(PerClass, TakesAnyLabelWhereTheNumberOfNamesIsUnknown) {
  TestSet set;
  set.add(Side::kBase, 0, true);
  set.add(Side::kBase, 1, false);
  set.label = {2147483647, 0};
  const RankedScores ranked(set.outcomes(), RankedScores::Keep::kOrder);
  const auto classes = per_class_accuracy(Ranking(ranked));
  ASSERT_EQ(classes.size(), 2u);
  EXPECT_EQ(classes[1].label, 2147483647);
  EXPECT_EQ(classes[1].accuracy, 1);
  const std::uint8_t second_only[] = {0, 1};
  const auto left = per_class_accuracy(Ranking(ranked, second_only));
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].label, 0);
}

}  // namespace
}  // namespace openworld
