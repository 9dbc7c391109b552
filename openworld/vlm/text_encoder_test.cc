#include "openworld/vlm/text_encoder.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <c10/core/CPUAllocator.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "openworld/base/error.h"
#include "openworld/vlm/test_util.h"

namespace openworld {
namespace {

using at::Tensor;

constexpr double kTolerance = 2e-5;

struct Result {
  Tensor features;
  Tensor gradient;
};

Result run_forest(const Clip& clip, const TextForest& forest, const Tensor& learnable,
                  const Tensor& cotangent, TextMemory memory = {}) {
  TextEncoder encoder(clip.text, forest, memory);
  const Tensor leaf = learnable.detach().requires_grad_();
  const Tensor features = encoder.features(leaf);
  Tensor gradient = at::zeros_like(learnable);
  if (features.requires_grad()) {
    gradient = torch::autograd::grad({features}, {leaf}, {cotangent}, {}, false, true)[0];
  }
  return {features.detach(), gradient};
}

// The forest against the padded computation, features and gradient.
void expect_parity(const Clip& clip, const PromptShape& shape, std::uint64_t seed,
                   TextMemory memory = {}) {
  Random random(seed);
  std::int64_t rows = 0;
  const std::vector<TestPrompt> prompts = random_prompts(clip.config, shape, random, rows);
  const Tensor learnable = random_tensor({rows, clip.config.text.width}, seed + 1) * 0.02;
  const TextForest forest = forest_of(prompts);
  const auto reads = static_cast<std::int64_t>(forest.readouts().size());
  const Tensor cotangent = random_tensor({reads, clip.config.embed}, seed + 2);

  const auto [features, gradient] =
      padded_features_and_gradient(clip, prompts, learnable, cotangent);
  const Result result = run_forest(clip, forest, learnable, cotangent, memory);
  EXPECT_LT(relative_error(result.features, features), kTolerance);
  if (rows > 0) {
    ASSERT_GT(gradient.abs().max().item<double>(), 0);
    EXPECT_LT(relative_error(result.gradient, gradient), kTolerance);
  }
}

std::string describe(const PromptShape& shape) {
  return "classes " + std::to_string(shape.classes) + ", context " +
         std::to_string(shape.context_rows) + ", place " +
         std::to_string(static_cast<int>(shape.place)) + ", deep " +
         std::to_string(shape.deep_blocks.size()) + ", per class " +
         std::to_string(shape.deep_per_class) + ", appended " + std::to_string(shape.appended);
}

TEST(TextEncoder, RandomForestsMatchThePaddedComputation) {
  Random random(1);
  for (std::uint64_t trial = 0; trial < 60; ++trial) {
    ClipConfig config = small_config();
    config.activation = trial % 2 == 0 ? Activation::kQuickGelu : Activation::kGelu;
    const Clip clip = random_clip(config, 1000 * trial);
    PromptShape shape;
    shape.classes = 1 + static_cast<std::int64_t>(random.below(12));
    shape.context_rows = static_cast<std::int64_t>(random.below(17));
    shape.place = static_cast<NamePlace>(random.below(3));
    shape.longest_name = 1 + static_cast<std::int64_t>(random.below(12));
    for (std::int32_t b = 1; b < config.text.layers; ++b) {
      if (random.below(3) == 0) shape.deep_blocks.push_back(b);
    }
    shape.deep_per_class = random.below(2) == 0;
    shape.appended = random.below(3) == 0 ? 3 : 0;
    SCOPED_TRACE(describe(shape));
    expect_parity(clip, shape, 50 + trial);
  }
}

TEST(TextEncoder, VitB16MatchesThePaddedComputation) {
  const PromptShape shapes[] = {
      {.classes = 1, .context_rows = 16},
      {.classes = 7, .context_rows = 0},
      {.classes = 12, .context_rows = 4, .place = NamePlace::kFront},
      {.classes = 12, .context_rows = 16, .place = NamePlace::kMiddle},
      {.classes = 10, .context_rows = 2, .deep_blocks = {1, 2, 3, 4, 5, 6, 7, 8}},
      {.classes = 10, .context_rows = 4, .deep_blocks = {8}, .deep_per_class = true},
      {.classes = 5, .context_rows = 0, .appended = 24},
  };
  const Clip clip = random_clip(vit_b16_text_config(), 7);
  for (const PromptShape& shape : shapes) {
    SCOPED_TRACE(describe(shape));
    expect_parity(clip, shape, 3);
  }
}

TEST(TextEncoder, ThreeHundredClassesAtVitB16SizeMatchInLittleMemory) {
  const Clip clip = random_clip(vit_b16_text_config(), 8);
  expect_parity(clip, {.classes = 300, .context_rows = 16}, 4, {.mib = 256});
}

// Counts what torch allocates while it lives.
class AllocationPeak : public c10::Allocator {
 public:
  AllocationPeak() : real_(c10::GetCPUAllocator()) {
    instance_ = this;
    c10::SetCPUAllocator(this, /*priority=*/1);
  }
  ~AllocationPeak() override {
    instance_ = nullptr;
    c10::SetCPUAllocator(real_, /*priority=*/1);
  }

  c10::DataPtr allocate(std::size_t bytes) const override {
    c10::DataPtr data = real_->allocate(bytes);
    now_ += static_cast<std::int64_t>(bytes);
    peak_ = std::max(peak_, now_);
    struct Block {
      c10::DataPtr data;
      std::size_t bytes;
    };
    auto* const block = new Block{std::move(data), bytes};
    return {block->data.get(), block,
            [](void* context) {
              auto* const freed = static_cast<Block*>(context);
              if (instance_ != nullptr) instance_->now_ -= static_cast<std::int64_t>(freed->bytes);
              delete freed;
            },
            c10::DeviceType::CPU};
  }

  double peak_mib() const { return static_cast<double>(peak_) / (1024 * 1024); }

 private:
  static inline AllocationPeak* instance_ = nullptr;
  c10::Allocator* real_;
  mutable std::int64_t now_ = 0;
  mutable std::int64_t peak_ = 0;
};

ClipConfig middling_config() {
  ClipConfig config = small_config();
  config.text = {64, 6, 4, 256};
  config.vocabulary = 3000;
  return config;
}

Result run_shape(const Clip& clip, const PromptShape& shape, TextMemory memory) {
  Random random(5);
  std::int64_t rows = 0;
  const TextForest forest = forest_of(random_prompts(clip.config, shape, random, rows));
  const Tensor learnable = random_tensor({rows, clip.config.text.width}, 6);
  const auto reads = static_cast<std::int64_t>(forest.readouts().size());
  return run_forest(clip, forest, learnable, random_tensor({reads, clip.config.embed}, 7), memory);
}

// 4000 classes keep some 400 MiB when they may. What is not kept, features and their gradients and
// what one block works on, is in the slack.
TEST(TextEncoder, MemoryStaysWithinTheBudget) {
  const Clip clip = random_clip(middling_config(), 9);
  const PromptShape shape = {.classes = 4000, .context_rows = 4, .deep_blocks = {2}};
  const auto peak = [&](std::int64_t mib) {
    const AllocationPeak allocations;
    run_shape(clip, shape, {mib});
    return allocations.peak_mib();
  };
  EXPECT_GT(peak(4096), 300);
  EXPECT_LT(peak(64), 64 + 16);
  EXPECT_LT(peak(16), 16 + 16);
}

TEST(TextEncoder, TheBudgetDoesNotChangeTheResult) {
  const Clip clip = random_clip(middling_config(), 9);
  const PromptShape shape = {.classes = 700, .context_rows = 4, .deep_blocks = {2}};
  const Result whole = run_shape(clip, shape, {4096});
  const Result chunked = run_shape(clip, shape, {16});
  EXPECT_LT(relative_error(chunked.features, whole.features), 1e-6);
  EXPECT_LT(relative_error(chunked.gradient, whole.gradient), 1e-5);
}

TEST(TextEncoder, ThreadsDoNotChangeTheForestsOwnKernels) {
  const Clip clip = random_clip(small_config(), 10);
  const PromptShape shape = {.classes = 40, .context_rows = 4};
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const Result one = run_shape(clip, shape, {});
  at::set_num_threads(3);
  const Result three = run_shape(clip, shape, {});
  at::set_num_threads(threads);
  EXPECT_TRUE(at::equal(one.features, three.features));
  EXPECT_TRUE(at::equal(one.gradient, three.gradient));
}

TEST(TextEncoder, EveryStepSeesTheLearnableRowsItIsGiven) {
  const Clip clip = random_clip(small_config(), 11);
  Random random(12);
  std::int64_t rows = 0;
  const auto prompts = random_prompts(
      clip.config, {.classes = 5, .context_rows = 3, .place = NamePlace::kFront}, random, rows);
  const TextForest forest = forest_of(prompts);
  TextEncoder encoder(clip.text, forest);
  for (std::uint64_t step = 0; step < 3; ++step) {
    const Tensor learnable = random_tensor({rows, clip.config.text.width}, 20 + step);
    EXPECT_LT(
        relative_error(encoder.features(learnable), padded_features(clip, prompts, learnable)),
        kTolerance);
  }
}

TEST(TextEncoder, WeightsThatRequireAGradientGetOne) {
  Clip clip = random_clip(small_config(), 13);
  const Tensor weight = clip.text.weights.blocks[1].qkv.weight.requires_grad_();
  const Tensor embedding = clip.text.weights.token_embedding.requires_grad_();
  Random random(14);
  std::int64_t rows = 0;
  const auto prompts = random_prompts(clip.config, {.classes = 4, .context_rows = 0}, random, rows);
  const Tensor cotangent = random_tensor({4, clip.config.embed}, 15);
  TextEncoder encoder(clip.text, forest_of(prompts));
  const auto ours = torch::autograd::grad({encoder.features()}, {weight, embedding}, {cotangent});
  const auto theirs = torch::autograd::grad({padded_features(clip, prompts, Tensor())},
                                            {weight, embedding}, {cotangent});
  EXPECT_LT(relative_error(ours[0], theirs[0]), kTolerance);
  EXPECT_LT(relative_error(ours[1], theirs[1]), kTolerance);
}

TEST(TextEncoder, AForestWithoutReadOutsHasNoFeatures) {
  const Clip clip = random_clip(small_config(), 16);
  EXPECT_EQ(TextEncoder(clip.text, TextForest()).features().size(0), 0);
}

template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(TextEncoder, RefusesWhatTheTowerCannotRun) {
  const Clip clip = random_clip(small_config(), 17);
  const auto encode = [&](const TextForest& forest, TextMemory memory = {}) {
    return message_of([&] { TextEncoder(clip.text, forest, memory).features(); });
  };
  TextForest deep;
  std::vector<PromptRow> rows(42, token_row(1));
  deep.read(deep.add(TextForest::kRoot, rows));
  EXPECT_EQ(encode(deep), "[encode_text] a prompt has 42 rows, the text tower has 41 positions");

  TextForest foreign;
  foreign.read(foreign.add(TextForest::kRoot, token_row(101)));
  EXPECT_EQ(encode(foreign), "[encode_text] no token 101, the vocabulary has 101");

  TextForest high;
  high.read(high.add(TextForest::kRoot, {.token = 1, .deep = {{4, 0}}}));
  EXPECT_EQ(encode(high), "[encode_text] no block 4 for a deep prompt, the text tower has 4");

  TextForest learns;
  learns.read(learns.add(TextForest::kRoot, learnable_row(2)));
  EXPECT_EQ(encode(learns),
            "[TextEncoder::features] learnable rows must be a matrix of at least 3 rows of 36");
  EXPECT_EQ(encode(learns, {0}), "[TextEncoder] memory must be at least 1 MiB, got 0");
}

}  // namespace
}  // namespace openworld
