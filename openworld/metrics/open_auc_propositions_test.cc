// The propositions on metrics of Wang et al., "OpenAUC: Towards AUC-Oriented Open-Set Recognition",
// NeurIPS 2022, with r turned round: here larger is more closed, and t accepts iff r > t.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "openworld/metrics/accuracy.h"
#include "openworld/metrics/auroc.h"
#include "openworld/metrics/normalised_accuracy.h"
#include "openworld/metrics/open_auc.h"
#include "openworld/metrics/open_set_f.h"
#include "openworld/metrics/test_util.h"
#include "openworld/metrics/tp_ose.h"
#include "openworld/metrics/youden.h"

namespace openworld {
namespace {

constexpr double kT = 0;  // the threshold of the rejector R

double value(const MetricRow& row, const TestSet& set) {
  const RankedScores ranked(set.outcomes(), RankedScores::Keep::kOrder);
  const MetricValue v = row.compute(Ranking(ranked), {.open = Side::kUnknown, .threshold = kT});
  EXPECT_TRUE(v.defined()) << v.why;
  return v.value;
}

bool closed(const TestSet& set, std::size_t i) {
  return set.side[i] == static_cast<int>(Side::kBase);
}

double count(const TestSet& set, bool is_closed, const std::function<bool(std::size_t)>& what) {
  double n = 0;
  for (std::size_t i = 0; i < set.size(); ++i) n += closed(set, i) == is_closed && what(i);
  return n;
}

double pairs(const TestSet& set) {
  return sum_over_pairs(set, Side::kUnknown, [](auto, auto) { return 1.0; });
}

TestSet open_set(std::uint64_t seed, double base_acc = 0.4) {
  return random_set({.base = 80,
                     .new_side = 0,
                     .unknown = 30,
                     .base_acc = base_acc,
                     .separation = 0.8,
                     .classes = 4},
                    seed);
}

std::size_t find(const TestSet& set, const std::function<bool(std::size_t)>& what) {
  std::size_t i = 0;
  while (i < set.size() && !what(i)) ++i;
  return i;
}

// The swap of propositions 1 and 5: the rejected open sample x1 is accepted as the class that the
// accepted, wrong closed sample x2 was taken for, and x2 is rejected.
TestSet swapped(const TestSet& set, std::size_t x1, std::size_t x2) {
  TestSet worse = set;
  std::swap(worse.score[x1], worse.score[x2]);
  worse.predicted[x1] = set.predicted[x2];
  return worse;
}

// F and J stay while the open class loses every sample it had found.
TEST(OpenAucProposition, 1) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    TestSet set = open_set(seed);
    const double macro = value(kOpenFMacro, set), micro = value(kOpenFMicro, set);
    const double j = value(kYoudenJ, set);
    while (true) {
      const auto x1 = find(set, [&](auto i) { return !closed(set, i) && set.score[i] <= kT; });
      if (x1 == set.size()) break;
      const auto x2 =
          find(set, [&](auto i) { return closed(set, i) && set.score[i] > kT && !set.correct[i]; });
      ASSERT_LT(x2, set.size());
      set = swapped(set, x1, x2);
    }
    EXPECT_EQ(value(kOseCount, set), 30);
    EXPECT_NEAR(value(kOpenFMacro, set), macro, 1e-12);
    EXPECT_NEAR(value(kOpenFMicro, set), micro, 1e-12);
    EXPECT_NEAR(value(kYoudenJ, set), j, 1e-12);
  }
}

// Its condition, sum FP >= TP_{C+1}, must not count open samples among the FP, which the swap
// cannot use: here sum FP = TP_{C+1} = 1, and of all predictors that reject no open sample none
// reaches the F-score.
TEST(OpenAucProposition, 1_NeedsTheFalsePositivesToBeClosed) {
  TestSet set;
  set.base_classes = 2;
  set.label = {0, 1, 0, 0};
  set.predicted = {0, 1, 0, 0};
  for (const double r : {1, 1}) set.add(Side::kBase, r, true);
  for (const double r : {1, -1}) set.add(Side::kUnknown, r, false);
  const double f = value(kOpenFMicro, set);
  for (int code = 0; code < 36; ++code) {
    TestSet other = set;
    const int said[] = {code % 3, code / 3 % 3, code / 9 % 2, code / 18};  // class 2: rejected
    for (std::size_t i = 0; i < 4; ++i) {
      other.score[i] = said[i] == 2 ? -1 : 1;
      other.predicted[i] = said[i] % 2;
      other.correct[i] = i < 2 && said[i] == set.label[i];
    }
    ASSERT_EQ(value(kOseCount, other), 2);
    EXPECT_LT(value(kOpenFMicro, other), f);
  }
}

// Accepting a rejected open sample as y2 and a rejected closed sample of class y2 as what it is
// raises NA, while fewer open samples are found.
TEST(OpenAucProposition, 2) {
  int steps = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    TestSet set = open_set(seed, 0.9);
    while (true) {
      const auto x1 = find(set, [&](auto i) { return !closed(set, i) && set.score[i] <= kT; });
      const auto x2 = find(set, [&](auto i) { return closed(set, i) && set.score[i] <= kT; });
      const auto rejected = [&](std::size_t i) { return set.score[i] <= kT; };
      if (x2 == set.size() || count(set, false, rejected) <= count(set, true, rejected)) break;
      TestSet next = set;
      next.score[x1] = next.score[x2] = 1;
      next.predicted[x1] = next.predicted[x2] = set.label[x2];
      next.correct[x2] = 1;
      EXPECT_NEAR(value(kAks, next), value(kAks, set), 1e-12);
      EXPECT_GT(value(kNormalisedAcc, next), value(kNormalisedAcc, set));
      EXPECT_EQ(value(kOseCount, next), value(kOseCount, set) + 1);
      set = next;
      ++steps;
    }
  }
  EXPECT_GT(steps, 20);
}

// The steps end before TP_{C+1} = 0, for TP_{C+1} > FP_{C+1} runs out of rejected closed samples
// first. At TP_{C+1} = 0 AUS is 0 or undefined, so NA is at most lambda.
TEST(OpenAucProposition, 2_DoesNotReachZero) {
  TestSet set = open_set(3, 0.9);
  EXPECT_GT(value(kNormalisedAcc, set), 0.5);
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (!closed(set, i)) set.score[i] = 1;
  }
  EXPECT_EQ(value(kAus, set), 0);
  EXPECT_LE(value(kNormalisedAcc, set), 0.5);
}

// x1 right and x2 wrong, both closed, with open samples between them, trade scores.
struct Trade {
  TestSet before, after;
  double between;  // open samples between the two
};

Trade trade(std::uint64_t seed) {
  TestSet set = open_set(seed);
  const auto x1 = find(set, [&](auto i) { return set.correct[i] && set.score[i] > kT; });
  const auto x2 =
      find(set, [&](auto i) { return closed(set, i) && !set.correct[i] && set.score[i] <= kT; });
  set.score[find(set, [&](auto i) { return !closed(set, i); })] = kT;
  Trade t{set, set, 0};
  t.between = count(set, false, [&](std::size_t i) {
    return set.score[x1] > set.score[i] && set.score[i] > set.score[x2];
  });
  std::swap(t.after.score[x1], t.after.score[x2]);
  return t;
}

// No aggregate of accuracy and AUROC sees the trade, which costs a right answer at t = r(x3).
TEST(OpenAucProposition, 3) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Trade t = trade(seed);
    EXPECT_EQ(value(kBaseAcc, t.after), value(kBaseAcc, t.before));
    EXPECT_EQ(value(kAuroc, t.after), value(kAuroc, t.before));
    EXPECT_EQ(value(kTpCount, t.after), value(kTpCount, t.before) - 1);
    EXPECT_EQ(value(kOseCount, t.after), value(kOseCount, t.before));
  }
}

// OpenAUC sees it, one pair for each open sample between.
TEST(OpenAucProposition, 7) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Trade t = trade(seed);
    EXPECT_GE(t.between, 1);
    EXPECT_NEAR(value(kOpenAuc, t.before) - value(kOpenAuc, t.after), t.between / pairs(t.before),
                1e-12);
  }
}

// OpenAUC is the area under COTPR over OFPR.
TEST(OpenAucProposition, 4) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const TestSet set = open_set(seed, 0.7);
    const RankedScores ranked(set.outcomes());
    const Ranking ranking(ranked);
    const KindCounts& all = ranking.totals();
    double area = 0, last_ofpr = 1;
    ranking.for_each_threshold([&](std::size_t, const KindCounts& below) {
      const double cotpr = double(all.of[kBaseRight] - below.of[kBaseRight]) / double(all.base());
      const double ofpr = double(all.unknown() - below.unknown()) / double(all.unknown());
      area += cotpr * (last_ofpr - ofpr);
      last_ofpr = ofpr;
      return true;
    });
    EXPECT_NEAR(area, value(kOpenAuc, set), 1e-12);
  }
}

// The swap of proposition 1 lowers OpenAUC by the right closed samples that the open one overtakes,
// so not at all where there is none.
TEST(OpenAucProposition, 5) {
  int fell = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const TestSet set = open_set(seed);
    const auto x1 = find(set, [&](auto i) { return !closed(set, i) && set.score[i] <= kT; });
    const auto x2 =
        find(set, [&](auto i) { return closed(set, i) && set.score[i] > kT && !set.correct[i]; });
    const double overtaken = count(set, true, [&](std::size_t i) {
      return set.correct[i] && set.score[x1] < set.score[i] && set.score[i] < set.score[x2];
    });
    const double drop = value(kOpenAuc, set) - value(kOpenAuc, swapped(set, x1, x2));
    EXPECT_NEAR(drop, overtaken / pairs(set), 1e-12);
    fell += drop > 1e-12;
  }
  EXPECT_GT(fell, 15);
}

// With OpenAUC k, TPR_{C+1} >= 1 - (1 - k) / FPR_{C+1} at every threshold.
TEST(OpenAucProposition, 6) {
  for (const Shape& shape : hard_shapes()) {
    if (shape.unknown == 0) continue;
    const TestSet set = random_set(shape, 8);
    const RankedScores ranked(set.outcomes());
    const Ranking ranking(ranked);
    const KindCounts& all = ranking.totals();
    const double k = open_auc(ranking, {.open = Side::kUnknown}).value;
    ranking.for_each_threshold([&](std::size_t, const KindCounts& below) {
      const double fpr = double(below.base()) / double(all.base());
      const double tpr = double(below.unknown()) / double(all.unknown());
      if (fpr > 0) {
        EXPECT_GE(tpr, 1 - (1 - k) / fpr - 1e-12);
      }
      return true;
    });
  }
}

// The truth table of the risk: 1 - k u = !k + k !u, as arithmetic, which its descendant for three
// stages is not (Hua et al., Proposition 5.1).
TEST(OpenAucProposition, 8) {
  for (const bool k : {false, true}) {
    for (const bool u : {false, true}) {
      EXPECT_EQ(1 - int{k && u}, int{!k} + int{k && !u});
    }
  }
}

}  // namespace
}  // namespace openworld
