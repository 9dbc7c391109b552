#include "openworld/vlm/device.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

#include <string>

#include "openworld/base/error.h"
#include "openworld/vlm/activation.h"
#include "openworld/vlm/forest_attention.h"
#include "openworld/vlm/index_tensor.h"
#include "openworld/vlm/load_clip.h"
#include "openworld/vlm/test_util.h"

namespace openworld {
namespace {

using at::Tensor;

std::string message_of(const std::string& text) {
  try {
    parse_device(text);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Device, ParsesWhatThereIsAndRefusesTheRest) {
  EXPECT_EQ(parse_device("cpu"), at::Device(at::kCPU));
  for (const char* const text : {"", "CPU", "gpu", "cud", "cuda:", "cuda:x", "cuda:-1", "cuda1",
                                 "cuda:1x", "cuda:99999999999", "cpu:0"}) {
    EXPECT_NE(message_of(text).find("expected cpu, cuda or cuda:N"), std::string::npos) << text;
  }
  if (at::globalContext().hasCUDART()) GTEST_SKIP() << "this libtorch has CUDA";
  for (const std::string text : {"cuda", "cuda:1"}) {
    EXPECT_EQ(message_of(text),
              "[parse_device] device " + text + ": this libtorch has no CUDA; expected cpu");
  }
}

// Meta is a device on which tensors have shapes and no values: reading one, or mixing it with a
// tensor of the CPU, throws. This torch has no convolutions, norms and gathers there, so that
// whole towers cannot run.
TEST(Device, KernelsHaveAPathWhereThereIsNoCpuMemory) {
  const Clip clip = clip_on(random_clip(small_config(), 3), at::kMeta);
  EXPECT_EQ(clip.device(), at::Device(at::kMeta));
  constexpr std::int64_t d = 12;
  Random random(4);
  std::int64_t learnable_rows = 0;
  const TextForest forest =
      forest_of(random_prompts(clip.config, {.place = NamePlace::kFront}, random, learnable_rows));
  const std::vector<std::size_t> readouts = {0, 1, 2};
  const ForestPlan plan = plan_forest(forest, readouts, false);
  const ForestLayout& layout = plan.stages[0].layout;
  ASSERT_GT(layout.frozen, 0);
  const Tensor own = at::empty({layout.live(), 3 * d}, at::kMeta).requires_grad_();
  const Tensor frozen_kv = at::empty({layout.frozen, 2 * d}, at::kMeta);
  const Tensor out =
      forest_attention(own, {}, frozen_kv, layout.frozen,
                       make_forest_attention(layout.live_attention, layout.rows, at::kMeta), 3);
  const Tensor active = activate(out, Activation::kQuickGelu);
  EXPECT_TRUE(active.is_meta());
  EXPECT_EQ(active.sizes().vec(), (std::vector<std::int64_t>{layout.live(), d}));
  EXPECT_TRUE(index_tensor(plan.live_readouts, at::kMeta, -layout.frozen).is_meta());
  active.sum().backward();
  EXPECT_EQ(own.grad().sizes(), own.sizes());
}

TEST(Device, ClipOnTheSameDeviceSharesItsTensors) {
  const Clip clip = random_clip(small_config(), 3);
  const Clip same = clip_on(clip, at::kCPU);
  EXPECT_EQ(same.logit_scale.data_ptr(), clip.logit_scale.data_ptr());
}

}  // namespace
}  // namespace openworld
