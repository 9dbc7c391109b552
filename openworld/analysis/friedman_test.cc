#include "openworld/analysis/friedman.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/random.h"
#include "openworld/stats/expect_relative.h"

namespace openworld {
namespace {

using Values = std::vector<double>;
using Groups = std::vector<std::vector<std::size_t>>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Random accuracies with few distinct values, so that ties are common.
Values random_table(Random& random, std::size_t blocks, std::size_t methods) {
  Values table(blocks * methods);
  for (double& a : table) a = static_cast<double>(random.below(8)) / 8;
  return table;
}

struct Golden {
  Values table;
  std::size_t methods;
  double chi_squared, p_value, f_p_value;
  Values average_ranks;
};

// scipy 1.10.1: scipy.stats.friedmanchisquare(*table.T), scipy.stats.f.sf(F, k-1, (k-1)(m-1)) and
// scipy.stats.rankdata(-row). The first two tables have ties.
TEST(Friedman, MatchesScipy) {
  const std::vector<Golden> goldens = {
      {{0.84, 0.79, 0.89, 0.74, 0.57, 0.59, 0.61, 0.53, 0.66, 0.61, 0.65, 0.58,
        0.81, 0.76, 0.83, 0.71, 0.93, 0.9,  0.93, 0.88, 0.5,  0.5,  0.52, 0.49},
       4,
       15.36206896551725,
       0.0015319771198749217,
       1.6812356184304062e-06,
       {2.0, 2.75, 1.25, 4.0}},
      {{0.5, 1.0, 0.1, 0.9, 0.3, 0.4, 0.8, 0.4, 0.5, 0.0, 0.8, 0.5, 0.3, 0.8,
        0.3, 0.5, 0.1, 0.4, 0.2, 0.3, 0.8, 0.3, 0.5, 1.0, 1.0, 0.7, 0.5, 0.3,
        0.2, 1.0, 0.5, 0.1, 0.6, 0.8, 0.6, 0.9, 0.0, 0.5, 0.5, 0.1},
       5,
       4.129870129870124,
       0.3887150660555253,
       0.4055650097387432,
       {2.375, 3.5, 3.5, 2.4375, 3.1875}},
      {{0.641, 0.853, 0.593, 0.26,  0.84,  0.509, 0.511, 0.753, 0.148, 0.82,
        0.683, 0.787, 0.192, 0.802, 0.191, 0.082, 0.855, 0.861, 0.877, 0.472,
        0.274, 0.007, 0.646, 0.72,  0.836, 0.282, 0.215, 0.639, 0.805, 0.964},
       3,
       1.4000000000000057,
       0.496585303791408,
       0.5204110829884864,
       {2.1, 1.7, 2.2}},
      {{0.151, 0.632, 1.195, 0.873, 1.19,  0.774, 0.673, 1.069, 1.127, 1.336, 1.26,  0.996, 0.769,
        0.362, 1.131, 0.513, 1.425, 0.915, 0.375, 0.467, 0.991, 0.629, 0.996, 0.756, 0.262, 0.571,
        0.406, 1.083, 0.98,  1.475, 0.654, 0.581, 1.167, 1.082, 1.41,  1.092, 0.544, 0.346, 1.296,
        0.693, 0.857, 0.823, 0.258, 0.913, 0.998, 0.579, 0.976, 1.171, 0.665, 0.606, 0.887, 1.29,
        1.326, 1.115, 0.448, 0.518, 0.41,  0.653, 0.884, 1.064, 0.313, 0.727, 1.272, 1.225, 1.391,
        1.509, 0.597, 1.068, 0.99,  0.95,  0.677, 1.238, 0.213, 0.283, 0.806, 1.235, 0.895, 1.519,
        0.526, 0.299, 1.265, 0.852, 0.895, 1.597, 0.124, 0.884, 0.488, 0.842, 0.832, 1.591, 0.39,
        1.125, 0.925, 1.144, 1.122, 1.059, 0.396, 1.091, 0.501, 1.438, 1.358, 1.11,  0.642, 0.531,
        0.681, 0.954, 0.617, 1.244, 0.972, 0.435, 1.048, 0.893, 0.809, 1.655, 0.017, 0.454, 1.299,
        0.712, 1.449, 1.356, 0.806, 0.78,  0.663, 1.211, 0.626, 1.197, 0.372, 0.627, 0.428, 0.673,
        1.162, 1.138, 0.792, 0.755, 1.161, 1.182, 1.202, 1.038, 0.783, 0.401, 0.375, 1.413, 1.14,
        1.524, 0.529, 0.762, 0.334, 0.637, 1.275, 1.321, 0.159, 1.102, 0.454, 0.96,  0.744, 1.467,
        0.276, 0.284, 0.346, 0.625, 0.792, 1.287, 0.451, 1.107, 1.254, 1.247, 1.272, 1.595, 0.939,
        0.173, 0.418, 0.81,  0.694, 1.35,  0.26,  0.414, 0.588, 0.548, 1.341, 1.401},
       6,
       66.05714285714294,
       6.763046436929136e-13,
       7.536349034594617e-17,
       {5.233333333333333, 4.6, 3.6, 3.033333333333333, 2.6, 1.9333333333333333}}};
  for (const Golden& golden : goldens) {
    const FriedmanTest test = friedman_test(golden.table, golden.methods, Better::kHigher);
    EXPECT_RELATIVE(test.chi_squared.value(), golden.chi_squared, 1e-12);
    EXPECT_RELATIVE(test.p_value.value(), golden.p_value, 1e-12);
    EXPECT_RELATIVE(test.f_p_value.value(), golden.f_p_value, 1e-11);
    ASSERT_EQ(test.average_ranks.size(), golden.methods);
    for (std::size_t j = 0; j < golden.methods; ++j) {
      EXPECT_NEAR(test.average_ranks[j], golden.average_ranks[j], 1e-14);
    }
  }
}

TEST(Friedman, RanksMatchScipyRankdata) {
  const Values v = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5};
  // scipy.stats.rankdata(v), then of -v
  EXPECT_EQ(tied_ranks(v, Better::kLower), (Values{4.5, 1.5, 6, 1.5, 8, 11, 3, 10, 8, 4.5, 8}));
  EXPECT_EQ(tied_ranks(v, Better::kHigher), (Values{7.5, 10.5, 6, 10.5, 4, 1, 9, 2, 4, 7.5, 4}));
  EXPECT_TRUE(tied_ranks({}, Better::kHigher).empty());
}

// Demsar (2006), Table 6: AUC of C4.5, C4.5+m, C4.5+cf and C4.5+m+cf on 14 data sets; average ranks
// 3.143, 2.000, 2.893, 1.964. CD is 1.25 at 0.05, where no pair differs, and 1.12 at
// 0.10, where C4.5 is worse than C4.5+m and C4.5+m+cf. The paper ranks the two 0.975 of one
// data set by digits that it does not print; so one is 0.9751 here.
TEST(Friedman, DemsarsExample) {
  const Values auc = {0.763, 0.768, 0.771,  0.798,  //
                      0.599, 0.591, 0.590,  0.569,  //
                      0.954, 0.971, 0.968,  0.967,  //
                      0.628, 0.661, 0.654,  0.657,  //
                      0.882, 0.888, 0.886,  0.898,  //
                      0.936, 0.931, 0.916,  0.931,  //
                      0.661, 0.668, 0.609,  0.685,  //
                      0.583, 0.583, 0.563,  0.625,  //
                      0.775, 0.838, 0.866,  0.875,  //
                      1.000, 1.000, 1.000,  1.000,  //
                      0.940, 0.962, 0.965,  0.962,  //
                      0.619, 0.666, 0.614,  0.669,  //
                      0.972, 0.981, 0.9751, 0.975,  //
                      0.957, 0.978, 0.946,  0.970};
  const FriedmanTest test = friedman_test(auc, 4, Better::kHigher);
  EXPECT_NEAR(test.average_ranks[0], 3.143, 5e-4);
  EXPECT_NEAR(test.average_ranks[1], 2.000, 5e-4);
  EXPECT_NEAR(test.average_ranks[2], 2.893, 5e-4);
  EXPECT_NEAR(test.average_ranks[3], 1.964, 5e-4);
  EXPECT_EQ(test.final_ranks, (Values{4, 2, 3, 1}));
  const NemenyiTest strict = nemenyi_test(test.average_ranks, test.blocks, 0.05);
  const NemenyiTest lax = nemenyi_test(test.average_ranks, test.blocks, 0.10);
  EXPECT_NEAR(strict.critical_distance, 1.25, 0.005);
  EXPECT_NEAR(lax.critical_distance, 1.12, 0.005);
  EXPECT_EQ(strict.groups, (Groups{{3, 1, 2, 0}}));
  EXPECT_EQ(lax.groups, (Groups{{3, 1, 2}, {2, 0}}));
}

// Demsar (2006), Table 5(a).
TEST(Nemenyi, CriticalValuesAreDemsars) {
  const Values q05 = {1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164};
  const Values q10 = {1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920};
  for (std::size_t k = 2; k <= 10; ++k) {
    // Some of the printed digits are off by one: 2.3437 stands as 2.343, 2.9483 as 2.949.
    EXPECT_NEAR(nemenyi_critical_value(k, 0.05), q05[k - 2], 0.0011);
    EXPECT_NEAR(nemenyi_critical_value(k, 0.10), q10[k - 2], 0.0011);
  }
}

TEST(Nemenyi, TwoMethodsAreTheNormalTest) {
  // The difference of two average ranks over m blocks has standard error 1/sqrt(m) for k = 2.
  const NemenyiTest test = nemenyi_test(Values{1.25, 1.75}, 16);
  EXPECT_NEAR(test.p_values[1], 0.04550026389635842, 1e-12);  // 2 * scipy.stats.norm.sf(2)
  EXPECT_NEAR(test.critical_distance, 1.959963984540054 / 4, 1e-9);
}

TEST(Nemenyi, PValuesAgreeWithTheCriticalDistance) {
  Random random(1);
  for (int round = 0; round < 20; ++round) {
    const std::size_t k = 2 + random.below(6), m = 2 + random.below(20);
    const auto ranks = friedman_test(random_table(random, m, k), k, Better::kHigher).average_ranks;
    const NemenyiTest test = nemenyi_test(ranks, m, 0.3);
    for (std::size_t i = 0; i < k; ++i) {
      EXPECT_EQ(test.p_values[i * k + i], 1);
      for (std::size_t j = 0; j < k; ++j) {
        const bool differ = std::abs(ranks[i] - ranks[j]) >= test.critical_distance;
        EXPECT_EQ(test.p_values[i * k + j] <= 0.3, differ);
        EXPECT_EQ(test.p_values[i * k + j], test.p_values[j * k + i]);
        // A pair is in a common group exactly when it does not differ.
        bool together = false;
        for (const auto& group : test.groups) {
          together |= std::count(group.begin(), group.end(), i) > 0 &&
                      std::count(group.begin(), group.end(), j) > 0;
        }
        if (i != j) {
          EXPECT_EQ(together, !differ);
        }
      }
    }
  }
}

TEST(Friedman, PermutingMethodsPermutesTheResult) {
  Random random(2);
  for (int round = 0; round < 100; ++round) {
    const std::size_t k = 2 + random.below(5), m = 2 + random.below(9);
    const Values table = random_table(random, m, k);
    std::vector<std::uint32_t> order(k);
    std::iota(order.begin(), order.end(), 0);
    shuffle(order, random);
    Values shuffled;
    for (std::size_t i = 0; i < m; ++i) {
      for (const std::uint32_t j : order) shuffled.push_back(table[i * k + j]);
    }
    const FriedmanTest a = friedman_test(table, k, Better::kHigher);
    const FriedmanTest b = friedman_test(shuffled, k, Better::kHigher);
    EXPECT_EQ(a.chi_squared, b.chi_squared);
    EXPECT_EQ(a.f, b.f);
    for (std::size_t j = 0; j < k; ++j) {
      EXPECT_EQ(b.average_ranks[j], a.average_ranks[order[j]]);
      EXPECT_EQ(b.final_ranks[j], a.final_ranks[order[j]]);
    }
  }
}

TEST(Friedman, AMonotoneMapOfABlockChangesNothing) {
  Random random(3);
  for (int round = 0; round < 100; ++round) {
    const std::size_t k = 2 + random.below(5), m = 2 + random.below(9);
    const Values table = random_table(random, m, k);
    Values up, down;
    for (std::size_t i = 0; i < table.size(); ++i) {
      up.push_back(std::exp(static_cast<double>(i / k + 1) * table[i]));
      down.push_back(-up.back());
    }
    const FriedmanTest a = friedman_test(table, k, Better::kHigher);
    EXPECT_EQ(a.average_ranks, friedman_test(up, k, Better::kHigher).average_ranks);
    EXPECT_EQ(a.chi_squared, friedman_test(up, k, Better::kHigher).chi_squared);
    EXPECT_EQ(a.average_ranks, friedman_test(down, k, Better::kLower).average_ranks);
    EXPECT_NEAR(std::accumulate(a.average_ranks.begin(), a.average_ranks.end(), 0.0),
                0.5 * static_cast<double>(k * (k + 1)), 1e-12);
  }
}

TEST(Friedman, PerfectAgreementIsInfinitelyLarge) {
  const FriedmanTest test = friedman_test(Values{3, 2, 1, 9, 5, 4, 8, 7, 6}, 3, Better::kHigher);
  EXPECT_NEAR(test.chi_squared.value(), 6, 1e-12);  // m(k - 1), its largest value
  EXPECT_EQ(test.f, std::numeric_limits<double>::infinity());
  EXPECT_EQ(test.f_p_value, 0);
}

TEST(Friedman, UndefinedTestsSayWhy) {
  const FriedmanTest ties = friedman_test(Values(6, 0.5), 3, Better::kHigher);
  EXPECT_EQ(ties.average_ranks, Values(3, 2));
  EXPECT_FALSE(ties.chi_squared || ties.p_value || ties.f || ties.f_p_value);
  EXPECT_EQ(ties.undefined, "every block ties all methods; their ranks have no variance to test");
  const FriedmanTest one = friedman_test(Values{0.1, 0.2}, 2, Better::kHigher);
  EXPECT_EQ(one.average_ranks, (Values{2, 1}));
  EXPECT_FALSE(one.chi_squared);
  EXPECT_EQ(one.undefined, "one block cannot show whether methods differ; expected at least two");
}

// OpenPL, Table 6 (66 blocks): CLIP, CoOp, CoCoOp, VPT, MaPLe, ProGrad, KgCoOp, RPO, PromptSRC,
// ProDA, TCP. Its Table 40 breaks the tie of VPT and MaPLe (2.667 both) as 2 and 3; here both get
// 2.5.
TEST(Friedman, FinalRanksOfThePapersTables) {
  const Values table6 = {9.788, 9.939, 8.212, 6.636, 6.136, 5.742, 5.909, 4.227, 1.955, 3.5, 3.955};
  EXPECT_EQ(tied_ranks(table6, Better::kLower), (Values{10, 11, 9, 8, 7, 5, 6, 4, 1, 2, 3}));
  const Values table40 = {10.167, 10, 8.833, 2.667, 2.667, 6.667, 8.333, 3.667, 1.667, 6.833, 4.5};
  EXPECT_EQ(tied_ranks(table40, Better::kLower), (Values{11, 10, 9, 2.5, 2.5, 6, 8, 4, 1, 7, 5}));
  const NemenyiTest test = nemenyi_test(table6, 66);
  EXPECT_NEAR(test.critical_distance, 1.858, 5e-4);
}

TEST(Friedman, RefusesTablesThatAreNone) {
  EXPECT_THROW(friedman_test({}, 2, Better::kHigher), Error);
  EXPECT_THROW(friedman_test(Values{1, 2}, 1, Better::kHigher), Error);
  EXPECT_THROW(friedman_test(Values{1, 2}, 0, Better::kHigher), Error);
  EXPECT_THROW(friedman_test(Values{1, 2, 3}, 2, Better::kHigher), Error);
  EXPECT_THROW(friedman_test(Values{1, 2, 3, kNan}, 2, Better::kHigher), Error);
  EXPECT_THROW(tied_ranks(Values{1, kNan}, Better::kHigher), Error);
  EXPECT_THROW(nemenyi_critical_value(1, 0.05), Error);
  EXPECT_THROW(nemenyi_critical_value(3, 0), Error);
  EXPECT_THROW(nemenyi_critical_distance(3, 0, 0.05), Error);
  EXPECT_THROW(nemenyi_critical_distance(3, 5, 1), Error);
  EXPECT_THROW(nemenyi_test(Values{1}, 5), Error);
  EXPECT_THROW(nemenyi_test(Values{1, 2}, 0), Error);
  EXPECT_THROW(nemenyi_test(Values{1, 3}, 5), Error);
  EXPECT_THROW(nemenyi_test(Values{1, kNan}, 5), Error);
  EXPECT_THROW(nemenyi_test(Values{1, 2}, 5, 1.5), Error);
}

}  // namespace
}  // namespace openworld
