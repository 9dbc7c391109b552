#include "openworld/pretrain/stem.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/sigmoid.h>
#include <gtest/gtest.h>

#include "openworld/pretrain/init_clip.h"
#include "openworld/pretrain/test_util.h"
#include "openworld/vlm/device.h"

namespace openworld {
namespace {

using at::Tensor;

// A stem with weights, biases and norms that are neither 0 nor 1.
struct Stem {
  Clip clip;
  std::vector<StemNorm> norms;

  explicit Stem(const ClipConfig& config, std::uint64_t seed = 1) : clip(init_clip(config, seed)) {
    norms = make_stem_norms(config);
    for (std::size_t i = 0; i < norms.size(); ++i) {
      const std::int64_t channels = config.stem[i].channels;
      clip.vision.weights.stem[i].bias.copy_(random_tensor({channels}, seed + 10 * i, 0.3));
      norms[i].weight.add_(random_tensor({channels}, seed + 10 * i + 1, 0.3));
      norms[i].mean.copy_(random_tensor({channels}, seed + 10 * i + 2, 0.5));
      norms[i].variance.add_(random_tensor({channels}, seed + 10 * i + 3).abs());
    }
  }

  std::vector<Tensor> parameters() const {
    std::vector<Tensor> all;
    for (std::size_t i = 0; i < norms.size(); ++i) {
      all.push_back(clip.vision.weights.stem[i].weight);
      all.push_back(clip.vision.weights.stem[i].bias);
      all.push_back(norms[i].weight);
    }
    return all;
  }
};

Tensor reference_activation(const Tensor& x, Activation activation) {
  return activation == Activation::kGelu ? at::gelu(x) : x * at::sigmoid(1.702 * x);
}

// The same in torch's own layers and double precision. With `training` by the images' statistics,
// which move the running ones.
struct Reference {
  std::vector<Tensor> parameters, means, variances;
  Tensor rows;

  Reference(const Stem& stem, const Tensor& images, bool normed, bool training) {
    for (const Tensor& parameter : stem.parameters()) {
      parameters.push_back(parameter.detach().to(at::kDouble).requires_grad_());
    }
    Tensor x = images.to(at::kDouble);
    const ClipConfig& config = stem.clip.config;
    for (std::size_t i = 0; i < config.stem.size(); ++i) {
      const Tensor &weight = parameters[3 * i], &bias = parameters[3 * i + 1];
      means.push_back(stem.norms[i].mean.to(at::kDouble).clone());
      variances.push_back(stem.norms[i].variance.to(at::kDouble).clone());
      const c10::optional<Tensor> own_bias = normed ? c10::nullopt : c10::make_optional(bias);
      x = at::conv2d(x, weight, own_bias, config.stem[i].stride, 1);
      if (normed) {
        x = at::batch_norm(x, parameters[3 * i + 2], bias, means[i], variances[i], training,
                           kNormMomentum, kNormEpsilon, false);
      }
      x = reference_activation(x, config.activation);
    }
    rows = x.permute({0, 2, 3, 1}).reshape({-1, x.size(1)});
  }
};

// Rows and gradients of stem_rows beside the reference.
void expect_reference(const ClipConfig& config, bool normed) {
  const Stem stem(config);
  const std::int64_t side = config.preprocessing.image_size;
  const Tensor images = random_tensor({5, 3, side, side}, 3);
  for (const Tensor& parameter : stem.parameters()) parameter.requires_grad_();
  StemMoments moments;
  const std::vector<StemNorm> none;
  const Tensor rows = stem_rows(stem.clip.vision, normed ? stem.norms : none, images, &moments);
  const Reference reference(stem, images, normed, /*training=*/true);
  EXPECT_LT(relative_error(rows, reference.rows), 1e-5);

  const Tensor slope = random_tensor(rows.sizes(), 4);
  rows.backward(slope);
  reference.rows.backward(slope.to(at::kDouble));
  const std::vector<Tensor> parameters = stem.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Tensor& expected = reference.parameters[i].grad();
    ASSERT_EQ(parameters[i].grad().defined(), expected.defined()) << i;
    if (expected.defined()) {
      EXPECT_LT(relative_error(parameters[i].grad(), expected), 2e-5) << i;
    }
  }
  ASSERT_EQ(moments.means.size(), normed ? config.stem.size() : 0);
  if (!normed) return;
  // Torch moves its running statistics in the call; ours are moved by the moments.
  update_running(stem.norms, std::vector<StemMoments>{moments});
  for (std::size_t i = 0; i < stem.norms.size(); ++i) {
    EXPECT_LT(relative_error(stem.norms[i].mean, reference.means[i]), 1e-5) << i;
    EXPECT_LT(relative_error(stem.norms[i].variance, reference.variances[i]), 1e-5) << i;
  }
}

TEST(Stem, IsConvolutionBatchNormAndActivation) {
  expect_reference(small_config(16, {16, 24, 32}), true);
  expect_reference(small_config(13, {8, 16, 8}), true);  // sides that strides do not divide
  expect_reference(small_config(16, {16, 32}, Activation::kQuickGelu), true);
  expect_reference(small_config(16, {10, 12}), true);  // channels that are not eights
}

TEST(Stem, IsConvolutionAndActivationWithoutNorms) {
  expect_reference(small_config(16, {16, 24, 32}), false);
  expect_reference(small_config(13, {8, 16}, Activation::kQuickGelu), false);
}

TEST(Stem, IsTheSameInOperationsOfTorch) {
  const TorchOperationsOnly torch_only;
  expect_reference(small_config(16, {16, 24}), true);
  expect_reference(small_config(16, {16, 24}), false);
}

// A checkpoint has no norms: the finished stem has to give what the trained one does with its
// running statistics.
TEST(Stem, FoldedIsTheSameAsUnfolded) {
  const at::NoGradGuard no_grad;
  const Stem stem(small_config(16, {16, 24, 32}));
  const Tensor images = random_tensor({4, 3, 16, 16}, 5);
  const Reference reference(stem, images, /*normed=*/true, /*training=*/false);
  VisionTower finished = stem.clip.vision;
  for (std::size_t i = 0; i < stem.norms.size(); ++i) {
    finished.weights.stem[i] = folded(finished.weights.stem[i], stem.norms[i]);
  }
  EXPECT_LT(relative_error(stem_rows(finished, {}, images), reference.rows), 1e-5);
}

TEST(Stem, RunningStatisticsAreMeansOverParts) {
  std::vector<StemNorm> norms = make_stem_norms(small_config(16, {8}));
  const auto moments = [](double mean, double variance) {
    StemMoments result;
    result.means = {random_tensor({8}, 1, 0) + mean};
    result.variances = {random_tensor({8}, 1, 0) + variance};
    return result;
  };
  update_running(norms, std::vector<StemMoments>{moments(1, 2), moments(3, 6)});
  EXPECT_NEAR(norms[0].mean[3].item<double>(), 0.1 * 2, 1e-6);
  EXPECT_NEAR(norms[0].variance[3].item<double>(), 0.9 + 0.1 * 4, 1e-6);
}

}  // namespace
}  // namespace openworld
