#include "openworld/pretrain/image_tower.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/linspace.h>
#include <gtest/gtest.h>

#include <cmath>

#include "openworld/pretrain/image_attention.h"
#include "openworld/pretrain/init_clip.h"
#include "openworld/pretrain/test_util.h"
#include "openworld/vlm/device.h"

namespace openworld {
namespace {

using at::Tensor;

// Features and gradients of all weights, of a tower without norms.
void expect_those_of_encode_images(const ClipConfig& config) {
  const Clip ours = init_clip(config, 1), theirs = init_clip(config, 1);
  for (const Clip* clip : {&ours, &theirs}) {
    for (const auto& [name, tensor] : clip->tensors) tensor.requires_grad_();
  }
  const std::int64_t side = config.preprocessing.image_size;
  const Tensor images = random_tensor({6, 3, side, side}, 2);
  const Tensor features = train_image_features(ours.vision, {}, images);
  const Tensor expected = encode_images(theirs.vision, images).features.select(1, 0);
  EXPECT_LT(relative_error(features, expected), 1e-5);
  const Tensor slope = random_tensor(features.sizes(), 3);
  features.backward(slope);
  expected.backward(slope);
  for (const auto& [name, tensor] : ours.tensors) {
    const Tensor gradient = theirs.tensors.at(name).grad();
    ASSERT_EQ(tensor.grad().defined(), gradient.defined()) << name;
    if (!gradient.defined() || gradient.abs().max().item<double>() < 1e-9) continue;
    EXPECT_LT(relative_error(tensor.grad(), gradient), 1e-4) << name;
  }
}

TEST(TrainImageFeatures, AreThoseOfEncodeImages) {
  expect_those_of_encode_images(small_config(16, {16, 32}));
  expect_those_of_encode_images(small_config(16, {16, 32}, Activation::kQuickGelu));
  ClipConfig config = small_config(12, {});  // patches of the image itself
  config.patch = 4;
  expect_those_of_encode_images(config);
  config = small_config(16, {16});  // patches of the stem's output
  config.patch = 2;
  expect_those_of_encode_images(config);
  config.vision = {36, 3, 3, 64};  // heads of 12 columns
  expect_those_of_encode_images(config);
}

TEST(TrainImageFeatures, AreTheSameInOperationsOfTorch) {
  const TorchOperationsOnly torch_only;
  expect_those_of_encode_images(small_config(16, {16, 32}));
}

// With norms the finished model is that of encode_images.
TEST(TrainImageFeatures, OfAFoldedStemAreThoseOfEncodeImages) {
  const at::NoGradGuard no_grad;
  const ClipConfig config = small_config(16, {16, 32});
  Clip clip = init_clip(config, 1);
  std::vector<StemNorm> norms = make_stem_norms(config);
  const Tensor images = random_tensor({8, 3, 16, 16}, 4);
  // Running statistics that are those of these images: both then normalise alike.
  for (int i = 0; i < 200; ++i) {
    StemMoments moments;
    train_image_features(clip.vision, norms, images, &moments);
    update_running(norms, std::vector<StemMoments>{moments});
  }
  const Tensor trained = train_image_features(clip.vision, norms, images);
  for (std::size_t i = 0; i < norms.size(); ++i) {
    constexpr double kRows = 8 * 8 * 8;  // of each layer; running variances are over one less
    norms[i].variance.mul_((kRows - 1) / kRows);
    clip.vision.weights.stem[i] = folded(clip.vision.weights.stem[i], norms[i]);
  }
  const Tensor finished = encode_images(clip.vision, images).features.select(1, 0);
  EXPECT_LT(relative_error(finished, trained), 1e-4);
}

void expect_torch_attention(std::int64_t rows, std::int64_t queries, std::int64_t columns,
                            std::int64_t heads) {
  const std::int64_t d = columns * heads;
  const bool packed = queries == 0;
  const auto run = [&](Tensor& own, Tensor& query) {
    own = random_tensor({3, rows, (packed ? 3 : 2) * d}, 5).requires_grad_();
    query = packed ? Tensor() : random_tensor({3, queries, d}, 6).requires_grad_();
    const Tensor out = image_attention(own, query, heads);
    out.backward(random_tensor(out.sizes(), 7));
    return out;
  };
  Tensor own, query, torch_own, torch_query;
  const Tensor out = run(own, query);
  const TorchOperationsOnly torch_only;
  const Tensor expected = run(torch_own, torch_query);
  EXPECT_LT(relative_error(out, expected), 1e-5) << rows << " " << queries;
  EXPECT_LT(relative_error(own.grad(), torch_own.grad()), 1e-5) << rows << " " << queries;
  if (packed) return;
  EXPECT_LT(relative_error(query.grad(), torch_query.grad()), 1e-5);
}

TEST(ImageAttention, IsTheSameInOperationsOfTorch) {
  expect_torch_attention(17, 0, 32, 4);
  expect_torch_attention(5, 0, 8, 1);
  expect_torch_attention(37, 0, 40, 2);
  expect_torch_attention(17, 1, 32, 4);
  expect_torch_attention(9, 6, 16, 2);
}

TEST(TrainActivation, IsGelu) {
  const auto both = [](Tensor x, const auto& f) {
    x = x.clone().requires_grad_();
    const Tensor y = f(x);
    y.sum().backward();
    return std::pair(y.detach(), x.grad());
  };
  const Tensor x = at::linspace(-12, 12, 4001);
  const auto [y, slope] =
      both(x, [](const Tensor& t) { return train_activation(t, Activation::kGelu); });
  const auto [value, expected] =
      both(x.to(at::kDouble), [](const Tensor& t) { return at::gelu(t); });
  EXPECT_LT((y.to(at::kDouble) - value).abs().max().item<double>(), 2e-6);
  EXPECT_LT((slope.to(at::kDouble) - expected).abs().max().item<double>(), 1e-6);
  const Tensor odd = random_tensor({3}, 1);
  EXPECT_LT(relative_error(train_activation(odd, Activation::kGelu), at::gelu(odd)), 1e-6);
  const Tensor nan = at::full({2}, std::nan(""), at::kFloat);
  EXPECT_TRUE(std::isnan(train_activation(nan, Activation::kGelu)[0].item<float>()));
}

TEST(ImageFlops, CountsTheProductsOfATower) {
  ClipConfig config = small_config(8, {8});  // 4 x 4 pixels of 8 channels, 16 patches
  config.vision = {32, 1, 2, 64};
  const double stem = 16 * 27 * 8, patches = 16 * 8 * 32;
  const double last = 17 * 2 * 32 * 32 + 2 * 32 * 32 + 2 * 32 * 64 + 2 * 17 * 32;
  EXPECT_EQ(image_flops(config), 2 * (stem + patches + last + 32 * 24));
}

}  // namespace
}  // namespace openworld
