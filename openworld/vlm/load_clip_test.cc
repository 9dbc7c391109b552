#include "openworld/vlm/load_clip.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "openworld/io/test_util.h"
#include "openworld/text/test_vocabulary.h"
#include "openworld/vlm/test_util.h"
#include "openworld/vlm/zeroshot.h"

namespace openworld {
namespace {

using at::Tensor;
using testing::small_vocabulary;
using testing::TempFolder;

ClipConfig config_for(const Vocabulary& vocabulary) {
  ClipConfig config = small_config();
  config.vocabulary = static_cast<std::int64_t>(vocabulary.size());
  config.patch = 3;
  config.stem = {{6, 2}, {9, 2}};  // 35 -> 18 -> 9 pixels
  return config;
}

TEST(LoadClip, WhatWasSavedLoadsWithTheSameBits) {
  const TempFolder folder;
  const Clip clip = random_clip(config_for(small_vocabulary()), 1);
  save_clip(clip, small_vocabulary(), folder / "model");
  const ClipCheckpoint checkpoint = open_clip_checkpoint(folder / "model");
  const Clip loaded = load_clip(checkpoint);
  ASSERT_EQ(loaded.tensors.size(), clip.tensors.size());
  for (const auto& [name, tensor] : clip.tensors) {
    EXPECT_TRUE(at::equal(loaded.tensors.at(name), tensor)) << name;
  }
  EXPECT_EQ(loaded.config.stem, clip.config.stem);

  const Tokenizer tokenizer = load_tokenizer(checkpoint);
  const std::vector<std::string> texts = {"lower", "a new lower one."};
  const Tensor expected = encode_texts(clip, Tokenizer(small_vocabulary()), texts);
  EXPECT_TRUE(at::equal(encode_texts(loaded, tokenizer, texts), expected));
}

TEST(LoadClip, HalvesRoundToTheNearest) {
  const TempFolder folder;
  const Clip clip = random_clip(config_for(small_vocabulary()), 2);
  save_clip(clip, small_vocabulary(), folder / "model", TensorType::kF16);
  const Clip loaded = load_clip(folder / "model");
  for (const auto& [name, tensor] : clip.tensors) {
    EXPECT_TRUE(at::equal(loaded.tensors.at(name), tensor.to(at::kHalf).to(at::kFloat))) << name;
  }
}

// The same weights from every format, by the values that their names give.
TEST(LoadClip, EveryFormatGivesTheSameTensors) {
  const std::string folder = OPENWORLD_CHECKPOINTS_DIR;
  const Clip expected = load_clip(folder + "/state_dict.pt");
  for (const char* name : {"huggingface", "huggingface_bin", "huggingface_sharded", "open_clip",
                           "openai.pt", "parallel.pt", "bare.safetensors"}) {
    const Clip clip = load_clip(folder + "/" + name);
    for (const auto& [tensor, values] : expected.tensors) {
      EXPECT_TRUE(at::equal(clip.tensors.at(tensor), values)) << name << ' ' << tensor;
    }
  }
}

TEST(LoadClip, SaysThatThereIsNoVocabulary) {
  const char* const path = OPENWORLD_CHECKPOINTS_DIR "/bare.safetensors";
  EXPECT_ERROR(load_tokenizer(open_clip_checkpoint(path)), "no vocabulary beside the weights");
}

TEST(Zeroshot, EnsemblesAverageNormalisedFeatures) {
  const Clip clip = random_clip(config_for(small_vocabulary()), 3);
  const Tokenizer tokenizer(small_vocabulary());
  const std::vector<std::string> names = {"lower", "new", "a"};
  const std::vector<std::string> templates = {"{}", "a {} low", "{} new {}."};
  Tensor mean;
  for (const std::string& text : templates) {
    const Tensor one = zeroshot_classifier(clip, tokenizer, names, {text});
    mean = mean.defined() ? mean + one / 3 : one / 3;
  }
  const Tensor features = zeroshot_classifier(clip, tokenizer, names, templates);
  const Tensor logits =
      zeroshot_classifier(clip, tokenizer, names, templates, {.ensemble = Ensemble::kLogits});
  EXPECT_LT(relative_error(logits, mean), 1e-6);
  EXPECT_LT(relative_error(features, normalized(mean)), 1e-6);
  EXPECT_GT(relative_error(features, mean), 1e-3);
}

TEST(Zeroshot, ReadsAtTheFirstEndOfTheText) {
  const Clip clip = random_clip(config_for(small_vocabulary()), 4);
  const Tokenizer tokenizer(small_vocabulary());
  const Tensor features = encode_texts(clip, tokenizer, {"new", "new <|endoftext|> lower"});
  EXPECT_TRUE(at::equal(features[0], features[1]));
}

TEST(Zeroshot, RefusesNothing) {
  const Clip clip = random_clip(config_for(small_vocabulary()), 5);
  const Tokenizer tokenizer(small_vocabulary());
  EXPECT_ERROR(zeroshot_classifier(clip, tokenizer, {}, {"{}"}), "no class names");
  EXPECT_ERROR(zeroshot_classifier(clip, tokenizer, {"a"}, {}), "no templates");
}

}  // namespace
}  // namespace openworld
