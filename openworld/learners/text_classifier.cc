#include "openworld/learners/text_classifier.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>

#include <algorithm>

#include "openworld/vlm/inner_threads.h"
#include "openworld/vlm/zeroshot.h"

namespace openworld {

using at::Tensor;

Tensor scaled_logits(const Clip& clip, const Tensor& images, const Tensor& texts) {
  return logit_scale(clip) * at::matmul(images, texts.t());
}

Scores msp_scores(const Clip& clip, const Tensor& images, const Tensor& texts,
                  std::int64_t base_names) {
  return msp_scores(scaled_logits(clip, images, texts), base_names);
}

Scores msp_scores(const Tensor& logits, std::int64_t base_names) {
  return {logits.narrow(1, 0, base_names),
          logits.narrow(1, base_names, logits.size(1) - base_names),
          at::softmax(logits, 1).narrow(1, 0, base_names).amax(1)};
}

Scorer class_token_scorer(const Clip& clip, PromptedImages& images,
                          std::function<VisionOptions()> prompts, Tensor texts,
                          std::int64_t base_names) {
  return [&clip, &images, prompts = std::move(prompts), texts = std::move(texts),
          base_names](const ScoredImages& scored) {
    const at::NoGradGuard no_grad;
    const Tensor features = images.features_of_each(scored.pixels, prompts()).select(1, 0);
    return msp_scores(clip, features, texts, base_names);
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

std::vector<std::string> teacher_templates(const TuningTask& task, TemplateStyle style) {
  const auto own = find_custom_template(task.template_set, style);
  return own ? std::vector{*own} : task.templates;
}

std::string plain_template(const TuningTask& task) {
  return task.plain_words + " {}.";
}

std::string init_words(const TuningTask& task, const std::string& init) {
  return init == "auto" ? task.plain_words : init;
}

std::vector<std::string> all_names(const TuningTask& task,
                                   const std::vector<std::string>& new_names) {
  std::vector<std::string> names = task.base_names;
  names.insert(names.end(), new_names.begin(), new_names.end());
  return names;
}

}  // namespace openworld
