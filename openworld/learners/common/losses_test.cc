#include "openworld/learners/common/losses.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/rand.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "openworld/base/random.h"

namespace openworld {
namespace {

using at::Tensor;

Tensor uniform(std::int64_t n, std::uint64_t seed, double low, double high) {
  Random random(seed);
  Tensor tensor = at::empty({n}, at::kDouble);
  for (std::int64_t i = 0; i < n; ++i) {
    tensor.data_ptr<double>()[i] = low + (high - low) * random.uniform();
  }
  return tensor.requires_grad_();
}

// The formula of the paper, pair by pair.
Tensor pair_by_pair(const Tensor& a, const Tensor& b, const Tensor& w, const Tensor& v) {
  Tensor sum = at::zeros({}, at::kDouble);
  for (std::int64_t i = 0; i < a.numel(); ++i) {
    for (std::int64_t j = 0; j < b.numel(); ++j) {
      const Tensor margin = 1 - (a[i] - b[j]);
      sum = sum + w[i] * v[j] * margin * margin;
    }
  }
  return sum / static_cast<double>(a.numel() * b.numel());
}

TEST(GatedPairLoss, EqualsTheSumOverPairsWithItsGradients) {
  for (const auto& [m, n] : std::vector<std::pair<int, int>>{{1, 1}, {1, 9}, {13, 7}, {20, 31}}) {
    std::vector<Tensor> fast, slow;
    for (std::vector<Tensor>* list : {&fast, &slow}) {
      *list = {uniform(m, 1, 0, 1), uniform(n, 2, 0, 1), uniform(m, 3, 0.5, 0.74),
               uniform(n, 4, 0, 1)};
    }
    const Tensor ours = gated_pair_loss(fast[0], fast[1], fast[2], fast[3]);
    const Tensor theirs = pair_by_pair(slow[0], slow[1], slow[2], slow[3]);
    EXPECT_NEAR(ours.item<double>(), theirs.item<double>(), 1e-10);
    ours.backward();
    theirs.backward();
    for (std::size_t i = 0; i < fast.size(); ++i) {
      EXPECT_LE((fast[i].grad() - slow[i].grad()).abs().max().item<double>(), 1e-10)
          << m << " x " << n << ", input " << i;
    }
  }
}

TEST(GatedPairLoss, WithoutGatesPerfectScoresCostNothing) {
  const Tensor ones = at::ones({5}, at::kDouble), zeros = at::zeros({3}, at::kDouble);
  EXPECT_EQ(gated_pair_loss(ones, zeros, ones, at::ones({3}, at::kDouble)).item<double>(), 0);
}

TEST(Entropy, OfEqualLogitsIsTheLogarithmOfTheirNumber) {
  EXPECT_NEAR(entropy(at::zeros({1, 34}, at::kDouble)).item<double>(), std::log(34), 1e-12);
  // With something inside the logarithm it is a little less.
  const double inside = entropy(at::zeros({1, 34}, at::kDouble), 1e-5).item<double>();
  EXPECT_NEAR(inside, -std::log(1.0 / 34 + 1e-5), 1e-12);
}

}  // namespace
}  // namespace openworld
