#include "openworld/learners/common/largest_probability.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/randperm.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <limits>

namespace openworld {
namespace {

using at::Tensor;

// Logits of CLIP's size: cosines of about 0.25 in fp16 times 100.
Tensor logits(std::int64_t rows, std::int64_t names) {
  return (25 + 2 * at::randn({rows, names})).to(at::kHalf).to(at::kFloat);
}

TEST(LargestProbability, IsThatOfASoftmax) {
  for (const std::int64_t names : {1, 2, 3, 100, 1000}) {
    for (const std::int64_t known : {std::int64_t{1}, (names + 1) / 2, names}) {
      const Tensor z = logits(50, names);
      const Tensor expected =
          at::softmax(z.to(at::kDouble), 1).narrow(1, 0, known).amax(1).to(at::kFloat);
      const Tensor got = largest_probability(z, known);
      EXPECT_LE((got - expected).abs().max().item<float>(), 1.2e-7f) << names << " " << known;
      EXPECT_EQ(got.scalar_type(), at::kFloat);
    }
  }
}

// Softmax in floats fails this: its sum depends on the order.
TEST(LargestProbability, ThePlacesOfNamesChangeNoBit) {
  const std::int64_t names = 397, known = 199;
  const Tensor z = logits(500, names);
  const Tensor first = largest_probability(z, known);
  std::int64_t changed = 0;
  for (int i = 0; i < 5; ++i) {
    const Tensor order = at::cat({at::randperm(known), known + at::randperm(names - known)});
    const Tensor moved = z.index_select(1, order);
    EXPECT_TRUE(largest_probability(moved, known).equal(first));
    changed += (at::softmax(moved, 1).narrow(1, 0, known).amax(1) !=
                at::softmax(z, 1).narrow(1, 0, known).amax(1))
                   .sum()
                   .item<std::int64_t>();
  }
  EXPECT_GT(changed, 0) << "the rows prove nothing";
}

TEST(LargestProbability, FarLogitsAndNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor z = at::tensor({1000.f, -1000.f, -1000.f, 1000.f, nan, 0.f, 0.f, nan}).view({4, 2});
  const Tensor p = largest_probability(z, 1);
  EXPECT_EQ(p[0].item<float>(), 1);
  EXPECT_EQ(p[1].item<float>(), 0);
  EXPECT_TRUE(std::isnan(p[2].item<float>()));
  EXPECT_TRUE(std::isnan(p[3].item<float>()));
}

}  // namespace
}  // namespace openworld
