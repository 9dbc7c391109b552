// The open-set counts and everything made of them, against counts rebuilt from scratch at every
// threshold.

#include "openworld/metrics/open_set_counts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "openworld/metrics/normalised_accuracy.h"
#include "openworld/metrics/open_set_f.h"
#include "openworld/metrics/test_util.h"
#include "openworld/metrics/tp_ose.h"
#include "openworld/metrics/youden.h"

namespace openworld {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// One class against the rest.
struct Cell {
  double tp = 0, tn = 0, fp = 0, fn = 0;
};

using Accept = std::function<bool(double r)>;

// Each sample has a true and a predicted class among C+1, and each class counts every sample.
std::vector<Cell> cells(const TestSet& set, Side open, const Accept& accept) {
  const int classes = set.base_classes;
  std::vector<Cell> all(classes + 1);
  for (std::size_t i = 0; i < set.size(); ++i) {
    const bool closed = set.side[i] == static_cast<int>(Side::kBase);
    if (!closed && set.side[i] != static_cast<int>(open)) continue;
    const int truth = closed ? set.label[i] : classes;
    const int said = accept(set.score[i]) ? set.predicted[i] : classes;
    for (int c = 0; c <= classes; ++c) {
      (truth == c ? (said == c ? all[c].tp : all[c].fn) : (said == c ? all[c].fp : all[c].tn)) += 1;
    }
  }
  return all;
}

double ratio(double part, double whole) {
  return whole == 0 ? 0 : part / whole;
}

double f_score(double p, double r) {
  return ratio(2 * p * r, p + r);
}

struct Values {
  double f_macro, f_micro, youden, aks, aus, na, tp, ose;
};

Values by_definition(const TestSet& set, Side open, const Accept& accept) {
  const std::vector<Cell> all = cells(set, open, accept);
  const double classes = set.base_classes;
  double precision = 0, recall = 0, specificity = 0, aks = 0;
  Cell sum;
  for (int c = 0; c < set.base_classes; ++c) {
    const Cell& x = all[c];
    precision += ratio(x.tp, x.tp + x.fp) / classes;
    recall += ratio(x.tp, x.tp + x.fn) / classes;
    specificity += ratio(x.tn, x.tn + x.fp) / classes;
    aks += (x.tp + x.tn) / (x.tp + x.tn + x.fp + x.fn) / classes;
    sum.tp += x.tp;
    sum.fp += x.fp;
    sum.fn += x.fn;
  }
  const Cell& last = all.back();
  const double aus = last.tp / (last.tp + last.fp);
  return {.f_macro = f_score(precision, recall),
          .f_micro = f_score(ratio(sum.tp, sum.tp + sum.fp), ratio(sum.tp, sum.tp + sum.fn)),
          .youden = recall + specificity - 1,
          .aks = aks,
          .aus = aus,
          .na = 0.5 * aks + 0.5 * aus,
          .tp = sum.tp,
          .ose = last.fn};
}

std::vector<double> thresholds(const TestSet& set) {
  std::set<double> all(set.score.begin(), set.score.end());
  all.insert({-kInf, kInf});
  return {all.begin(), all.end()};
}

void expect_value(const MetricValue& actual, double expected, const MetricRow& row) {
  if (std::isnan(expected)) {
    EXPECT_EQ(actual.why, "nothing is rejected at the threshold") << row.info.name;
  } else {
    EXPECT_TRUE(actual.defined()) << row.info.name << ": " << actual.why;
    EXPECT_NEAR(actual.value, expected, 1e-12) << row.info.name;
  }
}

// Runs f(set, ranking, open) over every hard shape with classes, and both open sides.
template <class F>
void for_each_case(const F& f) {
  for (Shape shape : hard_shapes()) {
    for (const int classes : {1, 4, 40}) {
      shape.classes = classes;
      const TestSet set = random_set(shape, 6);
      const RankedScores ranked(set.outcomes(), RankedScores::Keep::kOrder);
      f(set, Ranking(ranked), Side::kNew);
      if (shape.unknown > 0) f(set, Ranking(ranked), Side::kUnknown);
    }
  }
}

TEST(OpenSetCounts, EqualTheirDefinitionsAtEveryThreshold) {
  for_each_case([](const TestSet& set, const Ranking& ranking, Side open) {
    for (const double t : thresholds(set)) {
      const Values expected = by_definition(set, open, [t](double r) { return r > t; });
      const MetricOptions options{.open = open, .threshold = t};
      expect_value(open_f_macro(ranking, options), expected.f_macro, kOpenFMacro);
      expect_value(open_f_micro(ranking, options), expected.f_micro, kOpenFMicro);
      expect_value(youden_j(ranking, options), expected.youden, kYoudenJ);
      expect_value(aks(ranking, options), expected.aks, kAks);
      expect_value(aus(ranking, options), expected.aus, kAus);
      expect_value(normalised_acc(ranking, options), expected.na, kNormalisedAcc);
      expect_value(tp_count(ranking, options), expected.tp, kTpCount);
      expect_value(ose_count(ranking, options), expected.ose, kOseCount);
      EXPECT_EQ(open_f_macro(ranking, options).threshold, t);
    }
  });
}

TEST(OpenSetCounts, DefaultIsTheBestThreshold) {
  for_each_case([](const TestSet& set, const Ranking& ranking, Side open) {
    Values best = by_definition(set, open, [](double) { return true; });
    for (const double t : thresholds(set)) {
      const Values here = by_definition(set, open, [t](double r) { return r > t; });
      best.f_macro = std::max(best.f_macro, here.f_macro);
      best.f_micro = std::max(best.f_micro, here.f_micro);
      best.youden = std::max(best.youden, here.youden);
      best.na = std::fmax(best.na, here.na);
    }
    const MetricOptions options{.open = open};
    expect_value(open_f_macro(ranking, options), best.f_macro, kOpenFMacro);
    expect_value(open_f_micro(ranking, options), best.f_micro, kOpenFMicro);
    expect_value(youden_j(ranking, options), best.youden, kYoudenJ);
    expect_value(normalised_acc(ranking, options), best.na, kNormalisedAcc);
    EXPECT_NEAR(aks(ranking, options).value / 2 + aus(ranking, options).value / 2, best.na, 1e-12);
    for (const MetricRow* row : {&kOpenFMacro, &kOpenFMicro, &kYoudenJ, &kNormalisedAcc}) {
      const MetricValue value = row->compute(ranking, options);
      EXPECT_EQ(row->compute(ranking, {.open = open, .threshold = value.threshold}).value,
                value.value)
          << row->info.name << " is not reached at its threshold";
    }
  });
}

// accepted iff sigmoid(-r) <= t for t = 0.01 .. 0.99, as the released code of OpenAUC has it.
TEST(OpenSetCounts, GridIsThatOfTheReleasedCode) {
  for_each_case([](const TestSet& set, const Ranking& ranking, Side open) {
    double f_macro = 0, f_micro = 0;
    for (int k = 1; k <= 99; ++k) {
      const auto accept = [k](double r) { return 1 / (1 + std::exp(r)) <= k / 100.0; };
      const Values here = by_definition(set, open, accept);
      f_macro = std::max(f_macro, here.f_macro);
      f_micro = std::max(f_micro, here.f_micro);
    }
    const MetricOptions options{.open = open, .grid = true};
    expect_value(open_f_macro(ranking, options), f_macro, kOpenFMacro);
    expect_value(open_f_micro(ranking, options), f_micro, kOpenFMicro);
    EXPECT_EQ(youden_j(ranking, options).value, youden_j(ranking, {.open = open}).value);
    EXPECT_EQ(normalised_acc(ranking, options).value,
              normalised_acc(ranking, {.open = open}).value);
  });
}

// sigmoid(0) is 0.5, a point of the grid: there it accepts r = 0. Nothing lies between 0.49 and
// 0.5, so r = 0 and r = 0.01 are accepted or rejected together.
TEST(OpenSetCounts, GridPointsAccept) {
  const auto f = [](double closed, double open) {
    TestSet set;
    set.add(Side::kBase, closed, true);
    set.add(Side::kUnknown, open, false);
    const RankedScores ranked(set.outcomes());
    return open_f_micro(Ranking(ranked), {.grid = true}).value;
  };
  EXPECT_EQ(f(0, -0.01), 1);
  EXPECT_LT(f(0.01, 0), 1);
}

TEST(OpenSetCounts, AGridOfLargeLogitsNeverRejects) {
  TestSet set = random_set({.classes = 3}, 2);
  for (double& r : set.score) r = 20 + r;
  const RankedScores ranked(set.outcomes(), RankedScores::Keep::kOrder);
  const Ranking ranking(ranked);
  const MetricOptions grid{.grid = true}, accept_all{.threshold = -kInf};
  EXPECT_EQ(open_f_macro(ranking, grid).value, open_f_macro(ranking, accept_all).value);
  EXPECT_EQ(open_f_micro(ranking, grid).threshold, -kInf);
  EXPECT_GT(open_f_macro(ranking).value, open_f_macro(ranking, grid).value);
}

// Summed over classes they are the pooled counts, also where samples have weights.
TEST(ClassCounts, AddUpToThePooledCounts) {
  const TestSet set = random_set({.base = 60, .new_side = 40, .unknown = 30, .classes = 5}, 4);
  const RankedScores ranked(set.outcomes(), RankedScores::Keep::kOrder);
  Random random(4, 1);
  std::vector<std::uint8_t> weights(set.size());
  for (auto& weight : weights) weight = static_cast<std::uint8_t>(random.below(4));
  const Ranking ranking(ranked, weights);
  ClassCounts counts(ranking, Side::kUnknown);
  KindCounts below;
  for (std::size_t rank = 0; rank < set.size(); ++rank) {
    counts.reject(rank);
    below.of[ranked.codes()[rank] & kKindMask] += weights[rank];
    const OpenSetCounts pooled = open_set_counts(ranking.totals(), below, Side::kUnknown);
    ClassCounts::Counts sum;
    for (std::size_t c = 0; c < 5; ++c) {
      sum.tp += counts.of(c).tp;
      sum.fp += counts.of(c).fp;
      sum.fn += counts.of(c).fn;
    }
    EXPECT_EQ(sum.tp, pooled.tp);
    EXPECT_EQ(sum.fp, pooled.fp);
    EXPECT_EQ(sum.fn, pooled.fn);
    EXPECT_EQ(counts.of(5).tp, pooled.open_tp);
    EXPECT_EQ(counts.of(5).fp, pooled.open_fp);
    EXPECT_EQ(counts.of(5).fn, pooled.open_fn);
  }
}

// Sums of fractions are carried over the sweep; after rejecting all of 200,000 nothing is left.
TEST(ClassCounts, DoNotDrift) {
  const TestSet set = random_set({.base = 100000, .new_side = 100000, .classes = 30}, 3);
  const RankedScores ranked(set.outcomes(), RankedScores::Keep::kOrder);
  const Ranking ranking(ranked);
  ClassCounts counts(ranking, Side::kNew);
  for (std::size_t rank = 0; rank < set.size(); ++rank) counts.reject(rank);
  EXPECT_EQ(counts.precision(), 0);
  EXPECT_EQ(counts.recall(), 0);
  EXPECT_EQ(counts.specificity(), 1);
  EXPECT_EQ(counts.of(30).tp, 100000);
  EXPECT_EQ(counts.of(30).fp, 100000);
  EXPECT_EQ(counts.of(30).fn, 0);
}

}  // namespace
}  // namespace openworld
