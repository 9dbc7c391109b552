#include "openworld/analysis/variance_components.h"

#include <gtest/gtest.h>

#include <cmath>

#include "openworld/analysis/sample_size.h"
#include "openworld/analysis/test_pilots.h"

namespace openworld {
namespace {

// Three equations of the two-way analysis of variance, against the table of pairs itself.
TEST(VarianceComponents, PairTermIsTheResidualOfTheTable) {
  const TestSet set = random_set({.base = 7, .new_side = 5, .distinct = 6}, 4);
  const VarianceComponents pilot = components_of({set}, "auroc");
  std::vector<std::vector<double>> table;
  for (std::size_t i = 0; i < 7; ++i) {
    table.emplace_back();
    for (std::size_t j = 7; j < 12; ++j) {
      const double gap = set.score[i] - set.score[j];
      table.back().push_back(gap > 0 ? 1 : gap == 0 ? 0.5 : 0);
    }
  }
  std::vector<double> rows(7), columns(5);
  double mean = 0;
  for (std::size_t i = 0; i < 7; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      rows[i] += table[i][j] / 5;
      columns[j] += table[i][j] / 7;
      mean += table[i][j] / 35;
    }
  }
  double residual = 0;
  for (std::size_t i = 0; i < 7; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      residual += std::pow(table[i][j] - rows[i] - columns[j] + mean, 2) / (6 * 4);
    }
  }
  ASSERT_GT(residual, 0);
  EXPECT_NEAR(pilot.pairs, residual, 1e-14);
  EXPECT_NEAR(pilot.base.shared, variance_of(rows) - residual / 5, 1e-14);
  EXPECT_NEAR(pilot.other.shared, variance_of(columns) - residual / 7, 1e-14);
  EXPECT_EQ(pilot.base.own, 0);
  EXPECT_EQ(pilot.seed, 0);
}

// HM by the delta method: the derivatives at b = 3/4 and n = 2/4 are 2 n^2 / (b + n)^2 = 0.32 and
// 2 b^2 / (b + n)^2 = 0.72; sample variances of right and wrong 1/4 and 1/3.
TEST(VarianceComponents, HmByHand) {
  TestSet set;
  for (const bool right : {true, true, true, false}) set.add(Side::kBase, 1, right);
  for (const bool right : {true, false, true, false}) set.add(Side::kNew, 0, right);
  const VarianceComponents pilot = components_of({set}, "hm");
  EXPECT_NEAR(pilot.base.shared, 0.32 * 0.32 / 4, 1e-15);
  EXPECT_NEAR(pilot.other.shared, 0.72 * 0.72 / 3, 1e-15);
  EXPECT_EQ(pilot.pairs, 0);
  const VarianceComponents base = components_of({set}, "base_acc");
  EXPECT_NEAR(base.base.shared, 0.25, 1e-15);
  EXPECT_EQ(base.other.shared, 0);
}

// The mean of the estimates over many small pilots is the truth: unbiased, also at sizes where
// DeLong's own variance is 4 % too large. 2000 pilots of 20 + 15 samples; the standard error of the
// drawn variance of 20,000 sets is 1 %, that of the mean estimate less.
TEST(VarianceComponents, AreUnbiasedInSmallPilots) {
  for (const char* metric : {"auroc", "openworld_auc"}) {
    double predicted = 0;
    const int pilots = 2000;
    for (int i = 0; i < pilots; ++i) {
      const auto pilot = components_of({random_set(shape(20, 15), 100 + i)}, metric);
      predicted += std::pow(predict_study(pilot, {20, 15, 1}, 0.95).half_width / kZ, 2) / pilots;
    }
    EXPECT_NEAR(predicted / drawn_variances({metric}, 20, 15, 20000)[0], 1, 0.03) << metric;
  }
}

// Over many pilots of three seeds the moment estimator of V_seed has the right mean, if it is not
// cut off at zero, and its truth is known from unlimited samples: the variance of Phi of the shift.
TEST(VarianceComponents, SeedVarianceIsUnbiased) {
  const SeedWorld world{.level = 0.5, .noise = 0.6};
  const double spread = std::sqrt(2 * (1 + world.noise * world.noise));
  Random random(3);
  std::vector<double> limits;
  for (int i = 0; i < 200000; ++i) {
    limits.push_back(normal_cdf((1 + world.level * random.normal()) / spread));
  }
  double mean = 0;
  const int pilots = 600;
  for (int i = 0; i < pilots; ++i) {
    mean += components_of(world.draw(60, 60, 3, 40000 + i), "auroc").seed / pilots;
  }
  // The standard error of the mean over 600 pilots of two degrees of freedom each is 4 %.
  EXPECT_NEAR(mean / variance_of(limits), 1, 0.12);
}

TEST(VarianceComponents, EqualSeedsHaveNothingOfTheirOwn) {
  const TestSet set = random_set(shape(50, 40), 8);
  const VarianceComponents one = components_of({set}, "base_acc");
  const VarianceComponents three = components_of({set, set, set}, "base_acc");
  EXPECT_EQ(three.between, 0);
  EXPECT_EQ(three.seed, 0);
  EXPECT_NEAR(three.base.own, 0, 1e-15);
  EXPECT_NEAR(three.base.shared, one.base.shared, 1e-15);
}

TEST(VarianceComponents, Refuse) {
  const TestSet set = random_set({.base = 20, .new_side = 1}, 1), all = random_set({}, 1);
  const auto why = [](const TestSet& pilot, const char* metric) {
    return refusal([&] { components_of({pilot}, metric); });
  };
  EXPECT_EQ(why(all, "overall_acc"),
            "[samplesize] overall_acc has no variance components; expected one of openworld_auc, "
            "open_auc, auroc, oscr, base_acc, new_acc, hm");
  EXPECT_EQ(why(set, "auroc"), "[samplesize] seed 1: 1 new sample; a variance needs two or more");
  EXPECT_EQ(why(set, "base_acc"), "");
  EXPECT_EQ(why(random_set({.base = 5, .new_side = 0}, 1), "openworld_auc"),
            "[samplesize] seed 1: openworld_auc is undefined: no new samples");
  EXPECT_NE(why(random_set({.separation = 100}, 1), "auroc").find("variance of auroc is zero"),
            std::string::npos);
  EXPECT_NE(why(random_set({.base_acc = 0, .new_acc = 0}, 1), "hm").find("variance of hm is zero"),
            std::string::npos);
  const std::string mixed = refusal([&] { components_of({all, set}, "auroc"); });
  EXPECT_EQ(mixed,
            "[samplesize] seed 1 has 40 samples and seed 2 21; expected the same samples in "
            "the same order");
}

}  // namespace
}  // namespace openworld
