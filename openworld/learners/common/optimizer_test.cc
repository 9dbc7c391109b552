#include "openworld/learners/common/optimizer.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace openworld {
namespace {

using at::Tensor;

TEST(Schedule, OfDasslIsShiftedByOneEpochAndNeverReachesZero) {
  // Printed by Dassl's scheduler for a learning rate of 0.0035 and five epochs (MaPLe's
  // configuration).
  const double expected[] = {1e-5, 0.0035, 0.00316578, 0.00229078, 0.00120922};
  for (std::int64_t epoch = 0; epoch < 5; ++epoch) {
    EXPECT_NEAR(scheduled_lr(Schedule::kDassl, 0.0035, epoch, 5, 17 * epoch), expected[epoch],
                5e-9);
  }
}

TEST(Schedule, OfDecoopSwingsWithAPeriodOfTwoHundredSteps) {
  for (const std::int64_t step : {0, 1, 50, 100, 150, 200, 333}) {
    const double expected =
        0.001 * (1 + std::cos(std::numbers::pi * static_cast<double>(step) / 100));
    EXPECT_NEAR(scheduled_lr(Schedule::kCosineStep, 0.002, step / 13, 100, step), expected, 1e-15);
  }
}

TEST(Schedule, CosineFollowsEpochsAndConstantStays) {
  EXPECT_EQ(scheduled_lr(Schedule::kCosine, 0.002, 0, 40, 3), 0.002);
  EXPECT_NEAR(scheduled_lr(Schedule::kCosine, 0.002, 20, 40, 3), 0.001, 1e-15);
  EXPECT_EQ(scheduled_lr(Schedule::kConstant, 0.002, 20, 40, 900), 0.002);
}

// Two steps with gradients 3 and -1 from p = 2.
double after_two_steps(const OptimizerOptions& options) {
  Tensor p = at::full({1}, 2.0, at::kDouble).requires_grad_();
  Optimizer optimizer({{"p", p}}, options);
  for (const double gradient : {3.0, -1.0}) {
    p.mutable_grad() = at::full({1}, gradient, at::kDouble);
    optimizer.step(0.1);
    EXPECT_FALSE(p.grad().defined());
  }
  return p.item<double>();
}

TEST(Optimizer, SgdIsThatOfTorch) {
  // v = 3, p = 1.7; v = 0.9 * 3 - 1 = 1.7, p = 1.53.
  EXPECT_NEAR(after_two_steps({.momentum = 0.9, .weight_decay = 0}), 1.53, 1e-12);
  EXPECT_NEAR(after_two_steps({.momentum = 0, .weight_decay = 0}), 1.8, 1e-12);
  // g = 3 + 0.5 * 2 = 4, p = 1.6; g = -1 + 0.8 = -0.2, v = 3.6 - 0.2 = 3.4, p = 1.26.
  EXPECT_NEAR(after_two_steps({.momentum = 0.9, .weight_decay = 0.5}), 1.26, 1e-12);
}

TEST(Optimizer, AdamIsThatOfTorch) {
  // torch.optim.Adam(lr=0.1, eps=1e-3, weight_decay=0.01) of PyTorch 1.13 in double.
  const OptimizerOptions options = {
      .kind = OptimizerKind::kAdam, .momentum = 0, .weight_decay = 0.01, .epsilon = 1e-3};
  EXPECT_NEAR(after_two_steps(options), 1.859326385793992, 1e-12);
}

TEST(Optimizer, LeavesAParameterWithoutGradientAlone) {
  Tensor p = at::full({1}, 2.0, at::kDouble).requires_grad_();
  Optimizer optimizer({{"p", p}}, {.momentum = 0.9, .weight_decay = 0.5});
  optimizer.step(0.1);
  EXPECT_EQ(p.item<double>(), 2.0);
}

}  // namespace
}  // namespace openworld
