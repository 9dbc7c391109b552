#include "openworld/analysis/drc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/random.h"

namespace openworld {
namespace {

using Values = std::vector<double>;

const Values kSix = {0, 0.2, 0.4, 0.6, 0.8, 1};

Values random_levels(Random& random, bool from_zero_to_one) {
  Values levels(2 + random.below(6));
  for (double& t : levels) t = random.uniform();
  if (from_zero_to_one) levels.insert(levels.end(), {0.0, 1.0});
  std::sort(levels.begin(), levels.end());
  return levels;
}

Values random_curve(Random& random, std::size_t size) {
  Values curve(size);
  for (double& a : curve) a = random.uniform();
  return curve;
}

double interpolate(const Values& levels, const Values& curve, double t) {
  std::size_t i = 1;
  while (i + 1 < levels.size() && levels[i] < t) ++i;
  const double share = (t - levels[i - 1]) / (levels[i] - levels[i - 1]);
  return curve[i - 1] + share * (curve[i] - curve[i - 1]);
}

// The formulas for six levels as they stand in the paper's terms: h = 0.2, slopes m_i.
TEST(Drc, SixLevelsGiveThePapersSums) {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    const Values a = random_curve(random, 6);
    const double mean = a[5] - a[0];
    double evm = 0, vs = 0;
    for (int i = 0; i < 5; ++i) {
      const double slope = (a[i + 1] - a[i]) / 0.2;
      evm += std::abs(slope) / 5;
      vs += (slope - mean) * (slope - mean) / 5;
    }
    const DrcMetrics m = drc_metrics(kSix, a);
    EXPECT_EQ(m.acc0, a[0]);
    EXPECT_NEAR(m.auc, 0.2 * (a[0] / 2 + a[1] + a[2] + a[3] + a[4] + a[5] / 2), 1e-14);
    EXPECT_EQ(m.wa, *std::min_element(a.begin(), a.end()));
    EXPECT_NEAR(m.evm, evm, 1e-14);
    EXPECT_NEAR(m.vs, vs, 1e-12);
  }
}

TEST(Drc, ConstantAndLinearCurves) {
  const DrcMetrics flat = drc_metrics(kSix, Values(6, 0.7));
  EXPECT_NEAR(flat.auc, 0.7, 1e-15);
  EXPECT_EQ(flat.wa, 0.7);
  EXPECT_EQ(flat.evm, 0);
  EXPECT_EQ(flat.vs, 0);
  const DrcMetrics line = drc_metrics(Values{0, 0.1, 0.7, 1}, Values{0.9, 0.85, 0.55, 0.4});
  EXPECT_NEAR(line.auc, 0.65, 1e-15);
  EXPECT_NEAR(line.evm, 0.5, 1e-15);
  EXPECT_NEAR(line.vs, 0, 1e-30);
}

// A curve that only falls varies by exactly what it loses: EVM = Acc(0) - WA, as in 252 of the 308
// rows of the paper's tables.
TEST(Drc, MonotoneCurvesVaryByWhatTheyLose) {
  Random random(2);
  for (int round = 0; round < 100; ++round) {
    const Values levels = random_levels(random, true);
    Values curve = random_curve(random, levels.size());
    EXPECT_GE(drc_metrics(levels, curve).evm, curve[0] - drc_metrics(levels, curve).wa - 1e-15);
    std::sort(curve.rbegin(), curve.rend());
    const DrcMetrics m = drc_metrics(levels, curve);
    EXPECT_NEAR(m.evm, *m.acc0 - m.wa, 1e-14);
  }
}

// A level put on a straight piece adds nothing: the metrics belong to the curve, not the levels.
TEST(Drc, AnExtraLevelOnTheCurveChangesNothing) {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    Values levels = random_levels(random, round % 2 == 0);
    Values curve = random_curve(random, levels.size());
    Values zero_shot = random_curve(random, levels.size());
    const DrcMetrics before = drc_metrics(levels, curve);
    const DrcAreas areas_before = drc_areas(levels, curve, zero_shot);
    const auto i = static_cast<std::ptrdiff_t>(1 + random.below(levels.size() - 1));
    const double t = 0.5 * (levels[i - 1] + levels[i]);
    const double a = interpolate(levels, curve, t), z = interpolate(levels, zero_shot, t);
    levels.insert(levels.begin() + i, t);
    curve.insert(curve.begin() + i, a);
    zero_shot.insert(zero_shot.begin() + i, z);
    const DrcMetrics after = drc_metrics(levels, curve);
    const DrcAreas areas_after = drc_areas(levels, curve, zero_shot);
    EXPECT_EQ(before.acc0, after.acc0);
    EXPECT_EQ(before.wa, after.wa);
    EXPECT_NEAR(before.auc, after.auc, 1e-14);
    EXPECT_NEAR(before.evm, after.evm, 1e-12 * before.evm);
    EXPECT_NEAR(before.vs, after.vs, 1e-8 * before.vs + 1e-20);
    EXPECT_NEAR(areas_before.positive, areas_after.positive, 1e-14);
    EXPECT_NEAR(areas_before.negative, areas_after.negative, 1e-14);
  }
}

TEST(Drc, AreasDifferAsTheAucsDo) {
  Random random(4);
  for (int round = 0; round < 1000; ++round) {
    const Values levels = random_levels(random, round % 2 == 0);
    const Values curve = random_curve(random, levels.size());
    const Values zero_shot = random_curve(random, levels.size());
    const DrcAreas areas = drc_areas(levels, curve, zero_shot);
    EXPECT_GE(areas.positive, 0);
    EXPECT_GE(areas.negative, 0);
    EXPECT_NEAR(areas.positive - areas.negative,
                drc_metrics(levels, curve).auc - drc_metrics(levels, zero_shot).auc, 1e-14);
    const DrcAreas swapped = drc_areas(levels, zero_shot, curve);
    EXPECT_EQ(swapped.positive, areas.negative);
    EXPECT_EQ(swapped.negative, areas.positive);
  }
}

TEST(Drc, AreasMatchNumericalIntegration) {
  Random random(5);
  for (int round = 0; round < 20; ++round) {
    const Values levels = random_levels(random, round % 2 == 0);
    const Values curve = random_curve(random, levels.size());
    const Values zero_shot = random_curve(random, levels.size());
    double positive = 0, negative = 0;
    const int steps = 20000;
    for (int i = 0; i < steps; ++i) {
      const double t = levels.front() + (levels.back() - levels.front()) * (i + 0.5) / steps;
      const double gain = interpolate(levels, curve, t) - interpolate(levels, zero_shot, t);
      (gain > 0 ? positive : negative) += std::abs(gain) / steps;
    }
    const DrcAreas areas = drc_areas(levels, curve, zero_shot);
    EXPECT_NEAR(areas.positive, positive, 1e-4);
    EXPECT_NEAR(areas.negative, negative, 1e-4);
  }
}

TEST(Drc, OneCrossingByHand) {
  // +0.2 falls to -0.1 in one segment of width 1: it crosses at t = 2/3.
  const DrcAreas areas = drc_areas(Values{0, 1}, Values{0.7, 0.4}, Values{0.5, 0.5});
  EXPECT_NEAR(areas.positive, 0.5 * 0.2 * 2 / 3, 1e-15);
  EXPECT_NEAR(areas.negative, 0.5 * 0.1 / 3, 1e-15);
  const DrcAreas same = drc_areas(Values{0, 1}, Values{0.7, 0.4}, Values{0.7, 0.4});
  EXPECT_EQ(same.positive, 0);
  EXPECT_EQ(same.negative, 0);
}

// The definitions by midpoints on a fine grid.
TEST(Drc, RccAndEaMatchNumericalIntegration) {
  Random random(6);
  for (int round = 0; round < 40; ++round) {
    const Values levels = random_levels(random, round % 2 == 0);
    const Values curve = random_curve(random, levels.size());
    LevelDensity density{{0, 0.1, 0.7, 1}, random_curve(random, 4)};
    const int steps = 20000;
    double n = 0, t1 = 0, a1 = 0, tt = 0, aa = 0, ta = 0, weights = 0, weighted = 0;
    for (int i = 0; i < steps; ++i) {
      const double t = levels.front() + (levels.back() - levels.front()) * (i + 0.5) / steps;
      const double a = interpolate(levels, curve, t);
      const double p = interpolate(density.levels, density.weights, t);
      n += 1, t1 += t, a1 += a, tt += t * t, aa += a * a, ta += t * a;
      weights += p, weighted += p * a;
    }
    const double rcc = (n * ta - t1 * a1) / std::sqrt((n * tt - t1 * t1) * (n * aa - a1 * a1));
    EXPECT_NEAR(*drc_metrics(levels, curve).rcc, rcc, 1e-4);
    EXPECT_NEAR(expected_accuracy(levels, curve, density), weighted / weights, 1e-6);
  }
}

TEST(Drc, RccAndEaByHand) {
  EXPECT_NEAR(*drc_metrics(Values{0, 0.1, 1}, Values{0.9, 0.86, 0.5}).rcc, -1, 1e-12);
  EXPECT_NEAR(*drc_metrics(Values{0, 0.1, 1}, Values{0.5, 0.54, 0.9}).rcc, 1, 1e-12);
  EXPECT_NEAR(*drc_metrics(Values{0, 0.5, 1}, Values{0.5, 0.9, 0.5}).rcc, 0, 1e-15);
  EXPECT_FALSE(drc_metrics(kSix, Values(6, 0.7)).rcc);
  // Acc = 1 - t/2: the mean of t is 1/2 if uniform, 1/3 if its density is 2 (1 - t).
  const Values levels = {0, 1}, curve = {1, 0.5};
  EXPECT_NEAR(expected_accuracy(levels, curve, {{0, 1}, {3, 3}}), 0.75, 1e-15);
  EXPECT_NEAR(expected_accuracy(levels, curve, {{0, 1}, {2, 0}}), 1 - 1.0 / 6, 1e-15);
  // Uniform on [0.5, 1] alone, then a curve that covers only [0, 0.6].
  EXPECT_NEAR(expected_accuracy(levels, curve, {{0.5, 1}, {1, 1}}), 0.625, 1e-15);
  EXPECT_NEAR(expected_accuracy(Values{0, 0.6}, Values{1, 0.7}, {{0.5, 1}, {1, 1}}), 0.725, 1e-15);
  EXPECT_EQ(expected_accuracy(kSix, Values(6, 0.7), {{0, 1}, {1, 9}}), 0.7);
}

TEST(Drc, RefusesDensitiesThatAreNone) {
  const Values levels = {0, 0.5}, curve = {1, 0.5};
  EXPECT_THROW(expected_accuracy(levels, curve, {}), Error);
  EXPECT_THROW(expected_accuracy(levels, curve, {{0, 1}, {1}}), Error);
  EXPECT_THROW(expected_accuracy(levels, curve, {{1, 0}, {1, 1}}), Error);
  EXPECT_THROW(expected_accuracy(levels, curve, {{0, 2}, {1, 1}}), Error);
  EXPECT_THROW(expected_accuracy(levels, curve, {{0, 1}, {1, -1}}), Error);
  EXPECT_THROW(expected_accuracy(levels, curve, {{0, 1}, {0, 0}}), Error);
  EXPECT_THROW(expected_accuracy(levels, curve, {{0.5, 1}, {1, 1}}), Error);  // beyond the curve
}

TEST(Drc, WithoutLevelZeroThereIsNoAcc0) {
  EXPECT_FALSE(drc_metrics(Values{0.2, 0.6}, Values{0.8, 0.6}).acc0.has_value());
  EXPECT_NEAR(drc_metrics(Values{0.2, 0.6}, Values{0.8, 0.6}).auc, 0.7, 1e-15);
  EXPECT_NEAR(drc_metrics(Values{0.2, 0.6}, Values{0.8, 0.6}).evm, 0.5, 1e-15);
}

// Zero-shot CLIP under distribution shift: keeping 1-t of 10,000 ImageNet images and t of the
// variant's. The endpoints are the paper's, which reports AUC 0.797, EVM 0.175 and VS 0.014 for
// ImageNet-R (30,000 images) and 0.708, 0.427 and 0.004 for ImageNet-A (7,500).
TEST(Drc, PoolMixturesComeCloseToThePaper) {
  const auto mixture = [](double images, double from, double to) {
    Values curve;
    for (const double t : kSix) {
      const double share = t * images / (t * images + (1 - t) * 10000);
      curve.push_back(from * (1 - share) + to * share);
    }
    return drc_metrics(kSix, curve);
  };
  const DrcMetrics r = mixture(30000, 0.915, 0.740), a = mixture(7500, 0.904, 0.477);
  EXPECT_NEAR(r.auc, 0.797, 0.002);
  EXPECT_NEAR(r.evm, 0.175, 5e-4);
  EXPECT_NEAR(r.vs, 0.014, 0.002);
  EXPECT_NEAR(a.auc, 0.708, 0.0025);
  EXPECT_NEAR(a.evm, 0.427, 5e-4);
  EXPECT_NEAR(a.vs, 0.004, 0.001);
}

// The eleven datasets under emerging new classes in the paper's order (ImageNet, Caltech101, DTD,
// EuroSAT, Aircraft, Food101, Flowers102, OxfordPets, StanfordCars, SUN397, UCF101); Table 6 gives
// delta_AUC 0.102 for PromptSRC and -0.013 for CoOp, and delta_PN -0.012 for CoOp.
TEST(Drc, DeltasOfThePapersRowsAreThoseOfItsTable6) {
  const Values clip = {0.706, 0.946, 0.489, 0.555, 0.292, 0.878, 0.729, 0.918, 0.706, 0.672, 0.708};
  const Values src = {0.753, 0.962, 0.661, 0.830, 0.437, 0.889, 0.881, 0.940, 0.783, 0.776, 0.812};
  const Values coop = {0.726, 0.934, 0.469, 0.567, 0.233, 0.862, 0.707, 0.897, 0.685, 0.677, 0.696};
  const std::vector<DrcAreas> coop_areas = {{0.019, 0.000}, {0.001, 0.011}, {0.015, 0.032},
                                            {0.035, 0.022}, {0.013, 0.067}, {0.000, 0.016},
                                            {0.020, 0.040}, {0.000, 0.018}, {0.008, 0.027},
                                            {0.010, 0.004}, {0.012, 0.023}};
  EXPECT_NEAR(delta_auc(src, clip), 0.102, 5e-4);
  EXPECT_NEAR(delta_auc(coop, clip), -0.013, 5e-4);
  EXPECT_NEAR(delta_pn(coop_areas), -0.012, 5e-4);
}

TEST(Drc, RefusesCurvesThatAreNone) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(drc_metrics(Values{}, Values{}), Error);
  EXPECT_THROW(drc_metrics(Values{0}, Values{0.5}), Error);
  EXPECT_THROW(drc_metrics(Values{0, 1}, Values{0.5}), Error);
  EXPECT_THROW(drc_metrics(Values{0, 0}, Values{0.5, 0.6}), Error);
  EXPECT_THROW(drc_metrics(Values{1, 0}, Values{0.5, 0.6}), Error);
  EXPECT_THROW(drc_metrics(Values{-0.1, 1}, Values{0.5, 0.6}), Error);
  EXPECT_THROW(drc_metrics(Values{0, 1.1}, Values{0.5, 0.6}), Error);
  EXPECT_THROW(drc_metrics(Values{0, kNan}, Values{0.5, 0.6}), Error);
  EXPECT_THROW(drc_metrics(Values{0, 1}, Values{56.8, 44.1}), Error);
  EXPECT_THROW(drc_metrics(Values{0, 1}, Values{0.5, kNan}), Error);
  EXPECT_THROW(drc_areas(Values{0}, Values{0.5}, Values{0.5}), Error);
  EXPECT_THROW(drc_areas(Values{0, 1}, Values{0.5}, Values{0.5, 0.6}), Error);
  EXPECT_THROW(drc_areas(Values{0, 1}, Values{0.5, 0.6}, Values{0.5}), Error);
  EXPECT_THROW(drc_areas(Values{0, 1}, Values{0.5, 0.6}, Values{0.5, -0.6}), Error);
  EXPECT_THROW(delta_auc({}, {}), Error);
  EXPECT_THROW(delta_auc(Values{0.5}, Values{0.5, 0.6}), Error);
  EXPECT_THROW(delta_auc(Values{kNan}, Values{0.5}), Error);
  EXPECT_THROW(delta_pn({}), Error);
}

}  // namespace
}  // namespace openworld
