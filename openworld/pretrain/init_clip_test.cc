#include "openworld/pretrain/init_clip.h"

#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include <cmath>

namespace openworld {
namespace {

double deviation(const at::Tensor& tensor) {
  return std::sqrt(tensor.square().mean().item<double>());
}

TEST(InitClip, HasTheSpreadOfClip) {
  const ClipConfig config = pocket_config();
  const Clip clip = init_clip(config, 1);
  const auto text = static_cast<double>(config.text.width);
  const auto layers = static_cast<double>(config.text.layers);
  const auto& t = clip.tensors;
  EXPECT_NEAR(deviation(t.at("token_embedding.weight")), 0.02, 2e-4);
  EXPECT_NEAR(deviation(t.at("transformer.resblocks.0.attn.in_proj_weight")), 1 / std::sqrt(text),
              2e-3);
  EXPECT_NEAR(deviation(t.at("transformer.resblocks.1.mlp.c_proj.weight")),
              1 / std::sqrt(text * 2 * layers), 1e-3);
  EXPECT_NEAR(deviation(t.at("visual.stem.0.weight")), std::sqrt(2 / 27.0), 0.03);
  EXPECT_EQ(deviation(t.at("visual.stem.0.bias")), 0);
  EXPECT_EQ(t.at("ln_final.weight").min().item<double>(), 1);
  EXPECT_EQ(t.at("visual.transformer.resblocks.0.ln_2.weight").min().item<double>(), 1);
  EXPECT_EQ(deviation(t.at("ln_final.bias")), 0);
  EXPECT_NEAR(logit_scale(clip), 1 / 0.07, 1e-4);
}

TEST(InitClip, TheSeedDecides) {
  ClipConfig config = pocket_config();
  const Clip a = init_clip(config, 1), b = init_clip(config, 1), c = init_clip(config, 2);
  for (const auto& [name, tensor] : a.tensors) EXPECT_TRUE(tensor.equal(b.tensors.at(name)));
  EXPECT_FALSE(a.tensors.at("visual.proj").equal(c.tensors.at("visual.proj")));
}

}  // namespace
}  // namespace openworld
