#include "openworld/learners/common/sharded_encoder.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <limits>

#include "openworld/base/error.h"
#include "openworld/base/random.h"
#include "openworld/learners/test_util.h"

namespace openworld {
namespace {

using at::Tensor;

constexpr std::int64_t kImages = 7;

Tensor random_tensor(const std::vector<std::int64_t>& shape, std::uint64_t seed) {
  Random random(seed);
  Tensor tensor = at::empty(shape);
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    tensor.data_ptr<float>()[i] = static_cast<float>(0.5 * random.normal());
  }
  return tensor;
}

double relative_error(const Tensor& a, const Tensor& b) {
  return ((a - b).abs().max() / b.abs().max()).item<double>();
}

// How learned rows get into the tower.
struct Case {
  std::string name;
  std::vector<std::int64_t> blocks;
  bool per_image = false;
  bool local = false;
  bool masked = false;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"shallow", {0}},
      {"deep", {0, 1, 2}},
      {"per image", {0, 1}, true},
      {"with patches", {0, 2}, false, true},
      {"masked", {0}, false, false, true},
  };
  return all;
}

struct Result {
  Tensor features, local;
  std::vector<Tensor> gradients;
};

// Features, and the gradients of a weighted sum of them in the rows of every prompt.
template <class Encode>
Result run(const Case& what, const Encode& encode) {
  const Clip& clip = three_block_clip();
  const std::int64_t width = clip.config.vision.width, size = clip.config.preprocessing.image_size;
  const Tensor images = random_tensor({kImages, 3, size, size}, 1);
  VisionOptions options;
  std::vector<Tensor> leaves;
  for (const std::int64_t block : what.blocks) {
    std::vector<std::int64_t> shape = {2, width};
    if (what.per_image) shape.insert(shape.begin(), kImages);
    leaves.push_back(random_tensor(shape, 10 + static_cast<std::uint64_t>(block)).requires_grad_());
    // Through an operation, as learners make their rows.
    options.prompts.push_back({block, leaves.back() * 2});
  }
  options.local = what.local;
  if (what.masked) {
    const std::int64_t own = clip.vision.weights.positional_embedding.size(0);
    options.mask = at::zeros({own + 2, own + 2});
    options.mask.narrow(1, own, 2).fill_(-std::numeric_limits<double>::infinity());
    options.readouts = {0, -2, -1};
  }
  const VisionFeatures features = encode(clip, images, options);
  Tensor sum = (features.features * random_tensor(features.features.sizes().vec(), 3)).sum();
  if (what.local)
    sum = sum + (features.local * random_tensor(features.local.sizes().vec(), 4)).sum();
  Result result = {features.features.detach(), {}, torch::autograd::grad({sum}, leaves)};
  if (what.local) result.local = features.local.detach();
  return result;
}

Result sharded(const Case& what, int threads, const ShardingOptions& options) {
  ShardedEncoder encoder(three_block_clip().vision, threads, options);
  return run(what, [&](const Clip&, const Tensor& images, const VisionOptions& asked) {
    return encoder.features(images, asked);
  });
}

// Parts of 1, 2 and all images.
const double kPartWork[] = {1, 700'000, 4e8};

TEST(ShardedEncoder, GivesTheFeaturesAndGradientsOfPlainAutograd) {
  for (const Case& what : cases()) {
    const Result plain =
        run(what, [](const Clip& clip, const Tensor& images, const VisionOptions& options) {
          return encode_images(clip.vision, images, options);
        });
    for (const double work : kPartWork) {
      for (const std::int64_t memory : {0, 2048}) {
        const Result ours = sharded(what, 2, {.memory_mib = memory, .part_work = work});
        EXPECT_LT(relative_error(ours.features, plain.features), 1e-5) << what.name;
        if (what.local) {
          EXPECT_LT(relative_error(ours.local, plain.local), 1e-5) << what.name;
        }
        ASSERT_EQ(ours.gradients.size(), plain.gradients.size());
        for (std::size_t i = 0; i < ours.gradients.size(); ++i) {
          EXPECT_GT(plain.gradients[i].abs().max().item<double>(), 0) << what.name;
          EXPECT_LT(relative_error(ours.gradients[i], plain.gradients[i]), 1e-5) << what.name;
        }
      }
    }
  }
}

TEST(ShardedEncoder, GivesTheSameBitsWithAnyThreadsAndMemory) {
  for (const Case& what : cases()) {
    for (const double work : kPartWork) {
      const Result one = sharded(what, 1, {.part_work = work});
      for (const int threads : {1, 2, 3}) {
        for (const std::int64_t memory : {0, 2048}) {
          const Result other = sharded(what, threads, {.memory_mib = memory, .part_work = work});
          EXPECT_TRUE(one.features.equal(other.features)) << what.name;
          for (std::size_t i = 0; i < one.gradients.size(); ++i) {
            EXPECT_TRUE(one.gradients[i].equal(other.gradients[i])) << what.name;
          }
        }
      }
    }
  }
}

TEST(ShardedEncoder, DealsByWorkAndKeepsByMemory) {
  const ShardedEncoder small(three_block_clip().vision, 1);
  EXPECT_EQ(small.parts(7), 1);
  const ShardedEncoder each(three_block_clip().vision, 1, {.part_work = 1});
  EXPECT_EQ(each.parts(7), 7);
  EXPECT_EQ(each.parts(100), 16);
  EXPECT_EQ(each.kept_parts(7), 7);
  // 3 blocks of 210 rows of 5 * 32 + 64 + 4 * 210 floats: 2.6 MB an image; without weights 0.56 MB.
  const ShardedEncoder tight(three_block_clip().vision, 1, {.memory_mib = 8, .part_work = 1});
  EXPECT_EQ(tight.kept_parts(7, 200, false, true), 3);
  EXPECT_EQ(tight.kept_parts(2, 200, false, true), 2);
  EXPECT_EQ(tight.kept_parts(16, 200), 14);
  EXPECT_THROW(ShardedEncoder(three_block_clip().vision, 1, {.memory_mib = -1}), Error);
}

TEST(ShardedEncoder, CanGoBackwardTwice) {
  const Clip& clip = three_block_clip();
  const std::int64_t size = clip.config.preprocessing.image_size;
  for (const std::int64_t memory : {0, 2048}) {
    ShardedEncoder encoder(clip.vision, 2, {.memory_mib = memory, .part_work = 1});
    const Tensor rows = random_tensor({2, clip.config.vision.width}, 6).requires_grad_();
    const Tensor images = random_tensor({4, 3, size, size}, 1);
    const Tensor sum = encoder.features(images, {.prompts = {{0, rows}}}).features.pow(3).sum();
    sum.backward({}, true);
    const Tensor once = rows.grad().clone();
    sum.backward();
    EXPECT_TRUE(rows.grad().equal(once * 2));
  }
}

}  // namespace
}  // namespace openworld
