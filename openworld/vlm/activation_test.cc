#include "openworld/vlm/activation.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/sigmoid.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <limits>

#include "openworld/vlm/test_util.h"

namespace openworld {
namespace {

using at::Tensor;

// Against the formula in double precision, far into both tails.
TEST(Activation, QuickGeluAndItsGradientMatchTheFormula) {
  const Tensor x = at::linspace(-60, 60, 100'003);
  const Tensor exact = x.to(at::kDouble);
  const Tensor s = at::sigmoid(1.702 * exact);
  const Tensor leaf = x.clone().requires_grad_();
  const Tensor y = activate(leaf, Activation::kQuickGelu);
  EXPECT_LT(relative_error(y.detach().to(at::kDouble), exact * s), 2e-7);
  EXPECT_LT((y.detach() - exact * s).abs().max().item<double>(), 4e-6);  // half an ulp at 60
  const Tensor slope = s + 1.702 * exact * s * (1 - s);
  const Tensor gradient = torch::autograd::grad({y.sum()}, {leaf})[0];
  EXPECT_LT((gradient - slope).abs().max().item<double>(), 1e-6);
}

TEST(Activation, AnElementDoesNotDependOnItsPlace) {
  const Tensor x = random_tensor({1000}, 1);
  const Tensor whole = activate(x, Activation::kQuickGelu);
  for (const std::int64_t begin : {0, 1, 3, 8, 993}) {
    const Tensor part = activate(x.narrow(0, begin, 1000 - begin), Activation::kQuickGelu);
    EXPECT_TRUE(at::equal(part, whole.narrow(0, begin, 1000 - begin)));
  }
}

TEST(Activation, ExtremesAreWhatTheyAreInTheLimit) {
  const float inf = std::numeric_limits<float>::infinity();
  Tensor x = at::linspace(0, 1, 4);
  x[0] = inf;
  x[1] = -1e30f;
  x[2] = std::numeric_limits<float>::quiet_NaN();
  x[3] = 1e30f;
  const Tensor y = activate(x, Activation::kQuickGelu);
  EXPECT_EQ(y[0].item<float>(), inf);
  EXPECT_NEAR(y[1].item<float>() / 1e30f, 0, 1e-30);
  EXPECT_TRUE(std::isnan(y[2].item<float>()));
  EXPECT_EQ(y[3].item<float>(), 1e30f);
}

}  // namespace
}  // namespace openworld
