#include "openworld/vlm/zeroshot.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "openworld/base/error.h"
#include "openworld/worlds/templates.h"

namespace openworld {

using at::Tensor;

Tensor encode_token_ids(const Clip& clip, const std::vector<std::vector<std::int32_t>>& sequences,
                        const ZeroshotOptions& options) {
  at::NoGradGuard no_grad;
  TextForest forest;
  std::vector<PromptRow> rows;
  for (const std::vector<std::int32_t>& ids : sequences) {
    rows.clear();
    const auto end = std::max_element(ids.begin(), ids.end());
    for (auto id = ids.begin(); id != ids.end() && id <= end; ++id) rows.push_back(token_row(*id));
    forest.read(forest.add(TextForest::kRoot, rows));
  }
  if (options.on_progress) options.on_progress(0, sequences.size());
  return TextEncoder(clip.text, forest, options.memory).features({}, [&](std::size_t done) {
    if (options.on_progress) options.on_progress(done, sequences.size());
  });
}

Tensor encode_texts(const Clip& clip, const Tokenizer& tokenizer,
                    const std::vector<std::string>& texts, const ZeroshotOptions& options) {
  std::vector<std::vector<std::int32_t>> sequences;
  for (const std::string& text : texts) {
    sequences.push_back(tokenizer.pack(text, static_cast<std::size_t>(clip.config.context)));
  }
  return encode_token_ids(clip, sequences, options);
}

Tensor zeroshot_classifier(const Clip& clip, const Tokenizer& tokenizer,
                           const std::vector<std::string>& names,
                           const std::vector<std::string>& templates,
                           const ZeroshotOptions& options) {
  at::NoGradGuard no_grad;
  if (names.empty()) fail("zeroshot_classifier", "no class names, expected at least one");
  if (templates.empty()) fail("zeroshot_classifier", "no templates, expected at least one");
  expect_few_texts(names, templates, "zeroshot_classifier");
  std::vector<std::string> texts;
  for (const std::string& text : templates) {
    for (const std::string& name : names) texts.push_back(fill(text, name));
  }
  const auto count = [](const auto& items) { return static_cast<std::int64_t>(items.size()); };
  const Tensor features = normalized(encode_texts(clip, tokenizer, texts, options))
                              .reshape({count(templates), count(names), clip.config.embed})
                              .mean(0);
  return options.ensemble == Ensemble::kFeatures ? normalized(features) : features;
}

}  // namespace openworld
