#include "openworld/learners/text_classifier.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "openworld/learners/common/largest_probability.h"
#include "openworld/vlm/index_tensor.h"
#include "openworld/vlm/inner_threads.h"
#include "openworld/vlm/row_products.h"
#include "openworld/vlm/zeroshot.h"

namespace openworld {

using at::Tensor;

Tensor scaled_logits(const Clip& clip, const Tensor& images, const Tensor& texts) {
  return logit_scale(clip) * row_products(images, texts.t());
}

Tensor columns_of(const Tensor& values, std::span<const std::int64_t> columns) {
  const auto count = static_cast<std::int64_t>(columns.size());
  const auto follows = [](std::int64_t a, std::int64_t b) { return b != a + 1; };
  if (count == 0) return values.narrow(1, 0, 0);
  if (std::ranges::adjacent_find(columns, follows) == columns.end()) {
    return values.narrow(1, columns[0], count);
  }
  const std::vector<std::int64_t> indices(columns.begin(), columns.end());
  return values.index_select(1, index_tensor(indices, values.device()));
}

Tensor largest_base_probability(const Tensor& values, const NameColumns& view) {
  if (view.detected.empty()) return at::zeros({values.size(0)}, values.options());
  std::vector<std::int64_t> compared = view.detected;
  compared.insert(compared.end(), view.new_names.begin(), view.new_names.end());
  return largest_probability(columns_of(values, compared),
                             static_cast<std::int64_t>(view.detected.size()));
}

Scores msp_scores(const Tensor& logits, const NameColumns& view) {
  return {columns_of(logits, view.base), columns_of(logits, view.new_names),
          largest_base_probability(logits, view)};
}

std::vector<Scores> msp_scores(const Tensor& logits, std::span<const NameColumns> views) {
  std::vector<Scores> scores;
  for (const NameColumns& view : views) scores.push_back(msp_scores(logits, view));
  return scores;
}

ViewScorer text_scorer(const Clip& clip, Tensor texts) {
  return [&clip, texts = std::move(texts)](const ScoredImages& images,
                                           std::span<const NameColumns> views) {
    return msp_scores(scaled_logits(clip, images.features, texts), views);
  };
}

ViewScorer class_token_scorer(const Clip& clip, PromptedImages& images,
                              std::function<VisionOptions()> prompts, Tensor texts) {
  return [&clip, &images, prompts = std::move(prompts), texts = std::move(texts)](
             const ScoredImages& scored, std::span<const NameColumns> views) {
    const at::NoGradGuard no_grad;
    const Tensor features = images.features_of_each(scored.pixels, prompts()).select(1, 0);
    return msp_scores(scaled_logits(clip, features, texts), views);
  };
}

Tensor sentence_features(const TextModel& text_model, const std::vector<std::string>& names,
                         const std::vector<std::string>& templates, bool logits) {
  // The same bits whatever the threads: these are what training and scores start from.
  const BlasThreads blas(1);
  const OpenMpThreads open_mp(1);
  return zeroshot_classifier(
      *text_model.clip, *text_model.tokenizer, names, templates,
      {.ensemble = logits ? Ensemble::kLogits : Ensemble::kFeatures, .memory = text_model.memory});
}

Tensor sentence_features(const TextModel& text_model, const NameTable& table,
                         const ChooseTemplates& choose, bool logits) {
  std::vector<Tensor> parts;
  for (const NameTable::Group& group : table.groups()) {
    parts.push_back(sentence_features(text_model, group.names, choose(group.sentences), logits));
  }
  return at::cat(parts);
}

std::vector<std::string> teacher_templates(const Sentences& sentences, TemplateStyle style) {
  const auto own = find_custom_template(sentences.template_set, style);
  return own ? std::vector{*own} : sentences.templates;
}

std::string plain_template(const Sentences& sentences) {
  return sentences.plain_words + " {}.";
}

std::string init_words(const TuningTask& task, const std::string& init) {
  return init == "auto" ? task.sentences.plain_words : init;
}

}  // namespace openworld
