#include "openworld/vlm/device.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

#include <string>

#include "openworld/base/error.h"
#include "openworld/vlm/load_clip.h"
#include "openworld/vlm/test_util.h"
#include "openworld/vlm/text_encoder.h"

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

// A device on which tensors have shapes and no values: reading one, or mixing it with a tensor of
// the CPU, throws.
TEST(Device, TowersRunWhereThereIsNoCpuMemory) {
  const Clip clip = clip_on(random_clip(small_config(), 3), at::kMeta);
  EXPECT_EQ(clip.device(), at::Device(at::kMeta));
  // Blocks only: this torch has no convolutions there.
  const ClipConfig& config = clip.config;
  const Tensor rows = at::empty({3, 7, config.vision.width}, at::kMeta).requires_grad_();
  const Tensor mask = at::empty({7, 7}, at::kMeta);
  const Tensor out = vision_block(rows, clip.vision.weights.blocks[0], config, mask);
  EXPECT_TRUE(out.is_meta());
  EXPECT_EQ(out.sizes(), rows.sizes());
  out.sum().backward();
  EXPECT_EQ(rows.grad().sizes(), rows.sizes());

  Random random(4);
  std::int64_t learnable_rows = 0;
  for (const PromptShape& shape :
       {PromptShape{}, PromptShape{.place = NamePlace::kFront},
        PromptShape{.deep_blocks = {1, 2}, .deep_per_class = true}, PromptShape{.appended = 2}}) {
    const TextForest forest = forest_of(random_prompts(clip.config, shape, random, learnable_rows));
    TextEncoder encoder(clip.text, forest);
    Tensor context =
        at::empty({learnable_rows, clip.config.text.width}, at::kMeta).requires_grad_();
    const Tensor features = encoder.features(context);
    EXPECT_TRUE(features.is_meta());
    EXPECT_EQ(features.size(0), static_cast<std::int64_t>(forest.readouts().size()));
    features.sum().backward();
    EXPECT_EQ(context.grad().sizes(), context.sizes());
  }
}

TEST(Device, ClipOnTheSameDeviceSharesItsTensors) {
  const Clip clip = random_clip(small_config(), 3);
  const Clip same = clip_on(clip, at::kCPU);
  EXPECT_EQ(same.logit_scale.data_ptr(), clip.logit_scale.data_ptr());
}

}  // namespace
}  // namespace openworld
