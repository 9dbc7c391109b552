#include "openworld/learners/common/prompted_images.h"

#include <fmt/format.h>

#include <algorithm>

#include "openworld/base/error.h"
#include "openworld/vlm/encode_each.h"

namespace openworld {
namespace {

using at::Tensor;

void expect_pixels(const Tensor& pixels) {
  if (pixels.defined()) return;
  fail("tune",
       "there are only features of images; expected the images themselves, which this "
       "method encodes anew at every step");
}

}  // namespace

PromptedImages::PromptedImages(const TextModel& model)
    : tower_(&model.clip->vision),
      encoder_(model.clip->vision, model.threads, {.memory_mib = model.memory.mib}),
      pool_(model.threads) {}

Tensor PromptedImages::features(const Tensor& pixels, const VisionOptions& options) {
  expect_pixels(pixels);
  return normalized(encoder_.features(pixels, options).features);
}

Tensor PromptedImages::features_of_each(const Tensor& pixels, const VisionOptions& options) {
  expect_pixels(pixels);
  return normalized(encode_each(*tower_, pixels, pool_, options).features);
}

std::vector<VisualPrompt> deep_prompts(const Tensor& first, const Tensor& deep) {
  std::vector<VisualPrompt> prompts = {{0, first}};
  for (std::int64_t b = 0; b < deep.size(0); ++b) prompts.push_back({b + 1, deep.select(0, b)});
  return prompts;
}

std::int64_t prompt_depth(std::int64_t asked, std::int64_t released, std::int64_t blocks,
                          std::string_view tower) {
  if (asked == 0) return std::min(released, blocks);
  if (asked > blocks) {
    fail("prompts", fmt::format("option depth is {}; the {} tower has {} block{}", asked, tower,
                                blocks, blocks == 1 ? "" : "s"));
  }
  return asked;
}

std::vector<std::int32_t> blocks_after_first(std::int64_t depth) {
  std::vector<std::int32_t> blocks;
  for (std::int32_t b = 1; b < depth; ++b) blocks.push_back(b);
  return blocks;
}

}  // namespace openworld
