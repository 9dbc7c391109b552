// Properties that every metric that counts samples must have.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "openworld/metrics/accuracy.h"
#include "openworld/metrics/hm.h"
#include "openworld/metrics/normalised_accuracy.h"
#include "openworld/metrics/open_set_f.h"
#include "openworld/metrics/overall_acc.h"
#include "openworld/metrics/per_class.h"
#include "openworld/metrics/test_util.h"
#include "openworld/metrics/tp_ose.h"
#include "openworld/metrics/youden.h"

namespace openworld {
namespace {

constexpr auto kKeepOrder = RankedScores::Keep::kOrder;

const MetricRow* const kRows[] = {
    &kBaseAcc,         &kNewAcc,     &kHm,         &kOverallAcc, &kMeanClassAccBase,
    &kMeanClassAccNew, &kOpenFMacro, &kOpenFMicro, &kAks,        &kAus,
    &kNormalisedAcc,   &kYoudenJ,    &kTpCount,    &kOseCount,
};

void expect_same(const MetricValue& a, const MetricValue& b, const MetricRow& row) {
  EXPECT_EQ(a.why, b.why) << row.info.name;
  if (a.defined()) {
    EXPECT_NEAR(a.value, b.value, 1e-12) << row.info.name;
  }
}

// A resample is the set with each sample repeated as often as its weight says.
TEST(CountingMetrics, WeightsAreRepetitions) {
  for (Shape shape : hard_shapes()) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      shape.classes = 3;
      const TestSet set = random_set(shape, seed);
      const RankedScores ranked(set.outcomes(), kKeepOrder);
      Random random(seed, 1);
      std::vector<std::uint8_t> weights(set.size());
      TestSet repeated;
      repeated.base_classes = repeated.new_classes = 3;
      for (std::size_t rank = 0; rank < set.size(); ++rank) {
        weights[rank] = static_cast<std::uint8_t>(random.below(4));
        const std::uint32_t row = ranked.order()[rank];
        for (int k = 0; k < weights[rank]; ++k) {
          repeated.add(Side{set.side[row]}, set.score[row], set.correct[row]);
          repeated.overall_correct.push_back(set.overall_correct[row]);
          repeated.label.push_back(set.label[row]);
          repeated.predicted.push_back(set.predicted[row]);
        }
      }
      if (repeated.size() == 0) continue;
      const RankedScores again(repeated.outcomes(), kKeepOrder);
      for (const MetricRow* row : kRows) {
        for (const MetricOptions& options :
             {MetricOptions{}, MetricOptions{.grid = true}, MetricOptions{.threshold = 0.5}}) {
          const MetricValue actual = row->compute(Ranking(ranked, weights), options);
          expect_same(actual, row->compute(Ranking(again), options), *row);
        }
      }
    }
  }
}

TEST(CountingMetrics, MonotoneMapsChangeNothing) {
  for (Shape shape : hard_shapes()) {
    shape.classes = 5;
    const TestSet set = random_set(shape, 3);
    TestSet mapped = set;
    for (double& r : mapped.score) r = std::exp(r / 3);
    const RankedScores a(set.outcomes(), kKeepOrder), b(mapped.outcomes(), kKeepOrder);
    for (const MetricRow* row : kRows) {
      const MetricValue before = row->compute(Ranking(a), {});
      const MetricValue after = row->compute(Ranking(b), {});
      EXPECT_EQ(before.value, after.value) << row->info.name;
      EXPECT_EQ(before.threshold.has_value(), after.threshold.has_value());
      if (!before.threshold || std::isinf(*before.threshold)) continue;
      EXPECT_EQ(std::exp(*before.threshold / 3), *after.threshold) << row->info.name;
    }
  }
}

TEST(CountingMetrics, AnEmptySideIsUndefinedAndNamed) {
  const TestSet no_open = random_set({.base = 5, .new_side = 0, .classes = 3}, 1);
  const TestSet no_base = random_set({.base = 0, .new_side = 5, .classes = 3}, 1);
  const RankedScores a(no_open.outcomes(), kKeepOrder), b(no_base.outcomes(), kKeepOrder);
  for (const MetricRow* row : kRows) {
    const bool either = row == &kOverallAcc;  // takes the side that is there
    const bool base_only =
        either || row == &kBaseAcc || row == &kMeanClassAccBase || row == &kTpCount;
    const bool open_only =
        either || row == &kNewAcc || row == &kMeanClassAccNew || row == &kOseCount;
    const MetricValue without_open = row->compute(Ranking(a), {});
    const MetricValue without_base = row->compute(Ranking(b), {});
    EXPECT_EQ(without_open.defined(), base_only) << row->info.name;
    EXPECT_EQ(without_base.defined(), open_only) << row->info.name;
    if (!base_only) {
      EXPECT_TRUE(std::isnan(without_open.value));
      EXPECT_TRUE(without_open.why == "no new samples" || without_open.why == "no unknown samples");
    }
    if (!open_only) {
      EXPECT_EQ(without_base.why, "no base samples");
    }
  }
}

// AKS, AUS and NA read no array of classes, only how many there are.
TEST(CountingMetrics, MissingArraysAreNamed) {
  TestSet bare = random_set({}, 1);
  bare.overall_correct.clear();
  const RankedScores ranked(bare.outcomes(), kKeepOrder);
  const Ranking ranking(ranked);
  for (const MetricRow* row : kRows) {
    const MetricValue value = row->compute(ranking, {});
    const bool counts_names = row == &kAks || row == &kAus || row == &kNormalisedAcc;
    EXPECT_EQ(value.defined(), row->needs == kNeedsNothing && !counts_names) << row->info.name;
    EXPECT_EQ(value.why.substr(0, 6), value.defined() ? "" : "needs ") << row->info.name;
  }
  EXPECT_EQ(open_f_macro(ranking).why,
            "needs predicted classes: give base_logits, or label and predicted");
  EXPECT_TRUE(aus(ranking, {.threshold = 0.5}).defined());
  EXPECT_FALSE(aks(ranking, {.threshold = 0.5}).defined());
  EXPECT_FALSE(normalised_acc(ranking, {.threshold = 0.5}).defined());

  TestSet unnamed = random_set({.classes = 3}, 1);
  unnamed.base_classes = 0;
  const RankedScores uncounted(unnamed.outcomes(), kKeepOrder);
  for (const MetricRow* row : {&kOpenFMacro, &kYoudenJ, &kAks, &kNormalisedAcc}) {
    EXPECT_NE(row->compute(Ranking(uncounted), {}).why.find("number of base classes"),
              std::string::npos);
  }
}

// Without the order there are no classes, and rows that read them must not guess.
TEST(CountingMetrics, AMissingOrderIsNamed) {
  const TestSet set = random_set({.classes = 3}, 1);
  const RankedScores ranked(set.outcomes());
  for (const MetricRow* row : kRows) {
    const bool classes = row->needs & (kNeedsLabel | kNeedsPredicted);
    EXPECT_EQ(row->compute(Ranking(ranked), {}).defined(), !classes) << row->info.name;
  }
  EXPECT_EQ(youden_j(Ranking(ranked)).why, "needs the order of the rows: rank with kOrder");
}

TEST(CountingMetrics, VerdictsAddUpToTheMetric) {
  const TestSet set = random_set({.base = 40, .new_side = 30, .unknown = 20}, 1);
  const RankedScores ranked(set.outcomes());
  for (const MetricRow* row : {&kBaseAcc, &kNewAcc, &kOverallAcc}) {
    double right = 0, all = 0;
    for (const std::uint8_t code : ranked.codes()) {
      const int verdict = row->verdict(code);
      right += verdict == 1;
      all += verdict >= 0;
    }
    EXPECT_EQ(row->compute(Ranking(ranked), {}).value, right / all) << row->info.name;
  }
}

}  // namespace
}  // namespace openworld
