#include "openworld/vlm/vision_tower.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <limits>
#include <tuple>

#include "openworld/base/error.h"
#include "openworld/vlm/device.h"
#include "openworld/vlm/test_util.h"

namespace openworld {
namespace {

using at::Tensor;

constexpr double kTolerance = 1e-5;

ClipConfig stem_config() {
  ClipConfig config = small_config();
  config.patch = 3;
  config.stem = {{6, 1}, {9, 2}, {12, 2}};  // 35 -> 35 -> 18 -> 9 pixels, 3 x 3 patches
  return config;
}

Tensor images_for(const ClipConfig& config, std::int64_t count) {
  const std::int64_t size = config.preprocessing.image_size;
  return random_tensor({count, 3, size, size}, 99);
}

// Rows [images, rows, d] after the last block but one, and after the last, step by step.
std::pair<Tensor, Tensor> naive_rows(const Clip& clip, const Tensor& images,
                                     const VisionOptions& options) {
  const ClipConfig& config = clip.config;
  const VisionWeights& w = clip.vision.weights;
  const std::int64_t n = images.size(0);
  Tensor x = images;
  for (std::size_t i = 0; i < w.stem.size(); ++i) {
    x = at::conv2d(x, w.stem[i].weight, w.stem[i].bias, config.stem[i].stride, 1);
    x = x * at::sigmoid(1.702 * x);
  }
  const std::int64_t grid = x.size(2) / config.patch;
  std::vector<Tensor> rows = {w.class_embedding.expand({n, -1})};
  for (std::int64_t i = 0; i < grid; ++i) {
    for (std::int64_t j = 0; j < grid; ++j) {
      const Tensor patch = x.narrow(2, i * config.patch, config.patch)
                               .narrow(3, j * config.patch, config.patch)
                               .reshape({n, -1});
      rows.push_back(at::matmul(patch, w.patch.reshape({config.vision.width, -1}).t()));
    }
  }
  x = at::stack(rows, 1) + w.positional_embedding;
  Tensor before;
  for (std::int64_t b = 0; b < config.vision.layers; ++b) {
    for (const VisualPrompt& prompt : options.prompts) {
      if (prompt.block != b) continue;
      const Tensor own = prompt.rows.dim() == 3 ? prompt.rows : prompt.rows.repeat({n, 1, 1});
      x = at::cat({b == 0 ? x : x.narrow(1, 0, x.size(1) - own.size(1)), own}, 1);
    }
    if (b == 0) x = naive_norm(x, w.ln_pre, config.layer_norm_eps);
    const Tensor mask = options.mask.defined() ? options.mask : at::zeros({1});
    before = x;
    x = naive_block(x, w.blocks[static_cast<std::size_t>(b)], config, config.vision.heads, mask);
  }
  return {before, x};
}

Tensor naive_features(const Clip& clip, const Tensor& images, const VisionOptions& options) {
  const Tensor x = naive_rows(clip, images, options).second;
  const Tensor y = naive_norm(x, clip.vision.weights.ln_post, clip.config.layer_norm_eps);
  std::vector<Tensor> read;
  for (const std::int64_t row : options.readouts) read.push_back(y.select(1, row));
  return at::matmul(at::stack(read, 1), clip.vision.weights.projection);
}

TEST(VisionTower, MatchesThePlainComputation) {
  for (const ClipConfig& config : {small_config(), stem_config()}) {
    const Clip clip = random_clip(config, 1);
    const Tensor images = images_for(config, 3);
    const Tensor features = encode_images(clip.vision, images).features;
    EXPECT_EQ(features.sizes(), (std::vector<std::int64_t>{3, 1, config.embed}));
    EXPECT_LT(relative_error(features, naive_features(clip, images, {})), kTolerance);
  }
}

TEST(VisionTower, PromptsAreAppendedAndReplacedAtBlocks) {
  const Clip clip = random_clip(small_config(), 2);
  const std::int64_t d = clip.config.vision.width;
  const Tensor images = images_for(clip.config, 2);
  const Tensor first = random_tensor({4, d}, 3).requires_grad_();
  const Tensor deep = random_tensor({2, 4, d}, 4).requires_grad_();  // one set per image
  const VisionOptions options = {.prompts = {{0, first}, {2, deep}}, .readouts = {0, -1}};
  const Tensor ours = encode_images(clip.vision, images, options).features;
  const Tensor theirs = naive_features(clip, images, options);
  EXPECT_LT(relative_error(ours, theirs), kTolerance);

  const Tensor cotangent = random_tensor({2, 2, clip.config.embed}, 5);
  const auto our_grads = torch::autograd::grad({ours}, {first, deep}, {cotangent});
  const auto their_grads = torch::autograd::grad({theirs}, {first, deep}, {cotangent});
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_LT(relative_error(our_grads[i], their_grads[i]), kTolerance);
  }
}

// With learned rows attention is computed in place, the first block apart for the image's rows, and
// the last one without keys where few rows are read.
TEST(VisionTower, PromptsOfAnyShapeMatchThePlainComputation) {
  const Clip clip = random_clip(small_config(), 12);
  const std::int64_t d = clip.config.vision.width;
  const Tensor images = images_for(clip.config, 3);
  const std::vector<std::int64_t> one = {0}, many(30, 5);
  for (const auto& [first_rows, later_rows, per_image] :
       {std::tuple(4, 4, false), {4, 4, true}, {2, 3, false}, {3, 2, false}}) {
    const auto rows = [&, each = per_image](std::int64_t count, std::uint64_t seed) {
      return each ? random_tensor({3, count, d}, seed) : random_tensor({count, d}, seed);
    };
    for (const std::vector<std::int64_t>& readouts : {one, many}) {
      std::vector<VisualPrompt> prompts = {{0, rows(first_rows, 3)}, {1, rows(later_rows, 4)}};
      std::vector<Tensor> leaves;
      for (const VisualPrompt& prompt : prompts) leaves.push_back(prompt.rows.requires_grad_());
      const VisionOptions options = {.prompts = prompts, .readouts = readouts};
      const Tensor ours = encode_images(clip.vision, images, options).features;
      const Tensor theirs = naive_features(clip, images, options);
      EXPECT_LT(relative_error(ours, theirs), kTolerance);
      const Tensor cotangent = random_tensor(ours.sizes().vec(), 5);
      const auto our_grads = torch::autograd::grad({ours}, leaves, {cotangent});
      const auto their_grads = torch::autograd::grad({theirs}, leaves, {cotangent});
      for (std::size_t i = 0; i < leaves.size(); ++i) {
        EXPECT_LT(relative_error(our_grads[i], their_grads[i]), kTolerance) << i;
      }
    }
  }
}

// With the operations that other devices have.
TEST(VisionTower, TorchOperationsEqualTheKernel) {
  const Clip clip = random_clip(small_config(), 13);
  const std::int64_t d = clip.config.vision.width;
  const Tensor images = images_for(clip.config, 2);
  for (const bool read_only : {false, true}) {
    const auto run = [&] {
      const Tensor rows = random_tensor({3, d}, 7).requires_grad_();
      const Tensor features =
          encode_images(clip.vision, images, {.prompts = {{0, rows}}, .read_only = read_only})
              .features;
      const Tensor cotangent = random_tensor(features.sizes().vec(), 9);
      return std::pair(features.detach(),
                       torch::autograd::grad({features}, {rows}, {cotangent})[0]);
    };
    const auto [kernel, kernel_gradient] = run();
    const TorchOperationsOnly torch_only;
    const auto [plain, plain_gradient] = run();
    EXPECT_FALSE(plain_gradient.equal(kernel_gradient));  // or both are the same way
    EXPECT_LT(relative_error(plain, kernel), kTolerance);
    EXPECT_LT(relative_error(plain_gradient, kernel_gradient), kTolerance);
  }
}

// RPO: prompts that nobody sees, read instead of the class token.
TEST(VisionTower, MasksHideRows) {
  const Clip clip = random_clip(small_config(), 6);
  const Tensor images = images_for(clip.config, 2);
  const std::int64_t rows = 1 + 49 + 3;
  Tensor mask = at::zeros({rows, rows});
  mask.narrow(1, rows - 3, 3).fill_(-std::numeric_limits<float>::infinity());
  const Tensor prompt = random_tensor({3, clip.config.vision.width}, 7);
  const VisionOptions options = {
      .prompts = {{0, prompt}}, .mask = mask, .readouts = {-3, -2, -1, 0}};
  const Tensor features = encode_images(clip.vision, images, options).features;
  EXPECT_LT(relative_error(features, naive_features(clip, images, options)), kTolerance);
  // The class token does not notice them.
  const Tensor plain = encode_images(clip.vision, images).features;
  EXPECT_LT(relative_error(features.select(1, 3), plain.select(1, 0)), kTolerance);
}

TEST(VisionTower, ReadOnlyRowsAreWhatTheMaskMakesOfThem) {
  const Clip clip = random_clip(small_config(), 6);
  const Tensor images = images_for(clip.config, 2);
  const std::int64_t rows = 1 + 49 + 3, d = clip.config.vision.width;
  Tensor mask = at::zeros({rows, rows});
  mask.narrow(1, rows - 3, 3).fill_(-std::numeric_limits<float>::infinity());
  for (const Tensor& values : {random_tensor({3, d}, 7), random_tensor({2, 3, d}, 8)}) {
    const Tensor prompt = values.detach().clone().requires_grad_();
    const Tensor slow =
        encode_images(clip.vision, images,
                      {.prompts = {{0, prompt}}, .mask = mask, .readouts = {-3, -2, -1}})
            .features;
    const Tensor fast =
        encode_images(clip.vision, images, {.prompts = {{0, prompt}}, .read_only = true}).features;
    EXPECT_LT(relative_error(fast, slow), kTolerance);
    const Tensor cotangent = random_tensor(fast.sizes().vec(), 9);
    EXPECT_LT(relative_error(torch::autograd::grad({fast}, {prompt}, {cotangent})[0],
                             torch::autograd::grad({slow}, {prompt}, {cotangent})[0]),
              kTolerance);
  }
}

TEST(VisionTower, LocalFeaturesComeFromTheLastBlocksValues) {
  const Clip clip = random_clip(small_config(), 8);
  const ClipConfig& config = clip.config;
  const BlockWeights& last = clip.vision.weights.blocks.back();
  const std::int64_t d = config.vision.width;
  const Tensor images = images_for(config, 2);
  const VisionOptions options = {.prompts = {{0, random_tensor({2, d}, 9)}}, .local = true};
  const Tensor local = encode_images(clip.vision, images, options).local;

  const Tensor x = naive_rows(clip, images, options).first;
  const Tensor normed = naive_norm(x, last.ln_1, config.layer_norm_eps);
  const Tensor value = at::matmul(normed, last.qkv.weight.narrow(0, 2 * d, d).t()) +
                       last.qkv.bias.narrow(0, 2 * d, d);
  Tensor y = x + at::matmul(value, last.out.weight.t()) + last.out.bias;
  const Tensor hidden =
      at::matmul(naive_norm(y, last.ln_2, config.layer_norm_eps), last.fc.weight.t()) +
      last.fc.bias;
  y = y + at::matmul(hidden * at::sigmoid(1.702 * hidden), last.proj.weight.t()) + last.proj.bias;
  y = naive_norm(y, clip.vision.weights.ln_post, config.layer_norm_eps);
  EXPECT_LT(relative_error(local, y.narrow(1, 1, 49)), kTolerance);
}

TEST(VisionTower, RefusesWhatDoesNotFit) {
  const Clip clip = random_clip(small_config(), 10);
  const std::int64_t d = clip.config.vision.width;
  const Tensor images = images_for(clip.config, 1);
  const auto encode = [&](const Tensor& input, const VisionOptions& options) {
    encode_images(clip.vision, input, options);
  };
  EXPECT_THROW(encode(at::zeros({1, 3, 35, 36}), {}), Error);
  EXPECT_THROW(encode(images, {.prompts = {{3, at::zeros({1, d})}}}), Error);
  EXPECT_THROW(encode(images, {.prompts = {{1, at::zeros({1, d})}, {1, at::zeros({1, d})}}}),
               Error);
  EXPECT_THROW(encode(images, {.prompts = {{0, at::zeros({1, d + 1})}}}), Error);
  EXPECT_THROW(encode(images, {.prompts = {{1, at::zeros({50, d})}}}), Error);
  EXPECT_THROW(encode(images, {.readouts = {50}}), Error);
  EXPECT_THROW(encode(images, {.read_only = true}), Error);
  EXPECT_THROW(encode(images, {.prompts = {{1, at::zeros({1, d})}}, .read_only = true}), Error);
}

}  // namespace
}  // namespace openworld
