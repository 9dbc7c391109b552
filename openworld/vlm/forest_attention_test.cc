// Attention in torch's operations, as other devices have it, against the kernel, on the CPU.

#include "openworld/vlm/forest_attention.h"

#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "openworld/vlm/activation.h"
#include "openworld/vlm/device.h"
#include "openworld/vlm/test_util.h"
#include "openworld/vlm/text_encoder.h"

namespace openworld {
namespace {

using at::Tensor;

constexpr double kTolerance = 1e-5;

struct Inputs {
  Tensor own, query, frozen_kv;
};

// The result, and the gradients of own and query.
std::vector<Tensor> run(const AttentionPlan& plan, std::int64_t rows, std::int32_t own_begin,
                        std::int64_t heads, const Inputs& inputs) {
  const ForestAttention attention = make_forest_attention(plan, rows, at::kCPU);
  const Tensor own = inputs.own.detach().requires_grad_();
  const Tensor query = inputs.query.defined() ? inputs.query.detach().requires_grad_() : Tensor();
  const Tensor out = forest_attention(own, query, inputs.frozen_kv, own_begin, attention, heads);
  std::vector<Tensor> leaves = {own};
  if (query.defined()) leaves.push_back(query);
  const Tensor cotangent = random_tensor(out.sizes().vec(), 77);
  std::vector<Tensor> results = {out.detach()};
  for (const Tensor& grad : torch::autograd::grad({out}, leaves, {cotangent})) {
    results.push_back(grad);
  }
  return results;
}

void expect_same(const AttentionPlan& plan, std::int64_t rows, std::int32_t own_begin,
                 std::int64_t heads, const Inputs& inputs, const std::string& what) {
  if (plan.queries == 0) return;
  const std::vector<Tensor> kernel = run(plan, rows, own_begin, heads, inputs);
  const TorchOperationsOnly torch_only;
  const std::vector<Tensor> plain = run(plan, rows, own_begin, heads, inputs);
  ASSERT_EQ(kernel.size(), plain.size());
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    EXPECT_LE(relative_error(plain[i], kernel[i]), kTolerance) << what << ", result " << i;
  }
}

const std::vector<PromptShape>& shapes() {
  static const std::vector<PromptShape> all = {
      {},
      {.classes = 1, .context_rows = 1},
      {.classes = 7, .place = NamePlace::kFront},
      {.classes = 5, .place = NamePlace::kMiddle},
      {.classes = 4, .deep_blocks = {1, 2}},
      {.classes = 4, .deep_blocks = {1}, .deep_per_class = true},
      {.classes = 3, .appended = 3},
  };
  return all;
}

TEST(ForestAttention, TorchOperationsEqualTheKernel) {
  const ClipConfig config = small_config();
  Random random(11);
  std::int64_t seed = 100;
  std::size_t with_frozen = 0;
  for (const PromptShape& shape : shapes()) {
    std::int64_t learnable_rows = 0;
    const TextForest forest = forest_of(random_prompts(config, shape, random, learnable_rows));
    std::vector<std::size_t> readouts(forest.readouts().size());
    for (std::size_t i = 0; i < readouts.size(); ++i) readouts[i] = i;
    for (const bool all_live : {false, true}) {
      const ForestPlan plan = plan_forest(forest, readouts, all_live);
      for (const std::int64_t heads : {1, 3}) {
        constexpr std::int64_t d = 12;
        for (const ForestStage& stage : plan.stages) {
          const ForestLayout& layout = stage.layout;
          with_frozen += layout.frozen > 0 && layout.live() > 0;
          const Tensor frozen_kv =
              layout.frozen > 0 ? random_tensor({layout.frozen, 2 * d}, ++seed) : Tensor();
          if (layout.frozen > 0) {
            expect_same(layout.frozen_attention, layout.frozen, 0, heads,
                        {random_tensor({layout.frozen, 3 * d}, ++seed), {}, {}}, "frozen rows");
          }
          expect_same(layout.live_attention, layout.rows, layout.frozen, heads,
                      {random_tensor({layout.live(), 3 * d}, ++seed), {}, frozen_kv}, "live rows");
        }
        const ForestLayout& last = plan.stages.back().layout;
        const auto queries = static_cast<std::int64_t>(plan.live_readouts.size());
        expect_same(
            plan.live_readout_attention, last.rows, last.frozen, heads,
            {random_tensor({last.live(), 2 * d}, ++seed), random_tensor({queries, d}, ++seed),
             last.frozen > 0 ? random_tensor({last.frozen, 2 * d}, ++seed) : Tensor()},
            "read-outs");
      }
    }
  }
  EXPECT_GT(with_frozen, 0u);
}

TEST(ForestAttention, WholeTowersAgree) {
  const Clip clip = random_clip(small_config(), 5);
  Random random(12);
  for (const PromptShape& shape : shapes()) {
    std::int64_t learnable_rows = 0;
    const TextForest forest = forest_of(random_prompts(clip.config, shape, random, learnable_rows));
    const auto features = [&] {
      TextEncoder encoder(clip.text, forest);
      const Tensor rows =
          random_tensor({learnable_rows, clip.config.text.width}, 8).requires_grad_();
      const Tensor result = encoder.features(rows);
      const Tensor cotangent = random_tensor(result.sizes().vec(), 9);
      return std::pair(result.detach(), torch::autograd::grad({result}, {rows}, {cotangent})[0]);
    };
    const auto [kernel, kernel_gradient] = features();
    const TorchOperationsOnly torch_only;
    const auto [plain, plain_gradient] = features();
    EXPECT_LE(relative_error(plain, kernel), kTolerance);
    EXPECT_LE(relative_error(plain_gradient, kernel_gradient), kTolerance);
  }
}

TEST(ForestAttention, CountsWhatItKeeps) {
  AttentionPlan plan;
  const RowRange keys[] = {{0, 3}};
  plan.add(3, 1, keys);
  EXPECT_EQ(make_forest_attention(plan, 3, at::kCPU).kept_floats(2), 2 * plan.weights);
  const TorchOperationsOnly torch_only;
  EXPECT_EQ(make_forest_attention(plan, 3, at::kCPU).kept_floats(2), 2 * 3 * 3);
}

TEST(Activation, TorchOperationsEqualTheKernel) {
  const auto run_once = [] {
    const Tensor x = (random_tensor({7, 13}, 6) * 3).requires_grad_();
    const Tensor y = activate(x, Activation::kQuickGelu);
    return std::pair(y.detach(), torch::autograd::grad({y}, {x}, {random_tensor({7, 13}, 7)})[0]);
  };
  const auto [kernel, kernel_gradient] = run_once();
  const TorchOperationsOnly torch_only;
  const auto [plain, plain_gradient] = run_once();
  EXPECT_LE(relative_error(plain, kernel), kTolerance);
  EXPECT_LE(relative_error(plain_gradient, kernel_gradient), kTolerance);
}

}  // namespace
}  // namespace openworld
