#pragma once

// Logits and the maximum softmax probability as detection score, from text features.

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "openworld/learners/common/prompted_images.h"
#include "openworld/learners/learner.h"
#include "openworld/worlds/templates.h"

namespace openworld {

// s cos: image features and text features, both normalised unless a logit ensemble made the latter
// shorter.
at::Tensor scaled_logits(const Clip& clip, const at::Tensor& images, const at::Tensor& texts);

// Scores of a method that has one text feature per name, base names first: r is the largest
// probability of a base name among all names (Algorithm 1 of the OpenworldAUC paper, with CLIP's
// temperature).
Scores msp_scores(const Clip& clip, const at::Tensor& images, const at::Tensor& texts,
                  std::int64_t base_names);

// The same of logits [n, names], base names first.
Scores msp_scores(const at::Tensor& logits, std::int64_t base_names);

// The same of images that are encoded with rows of `prompts()` in the vision tower, which are asked
// for when images are scored. REQUIRES: what it refers to outlives it.
Scorer class_token_scorer(const Clip& clip, PromptedImages& images,
                          std::function<VisionOptions()> prompts, at::Tensor texts,
                          std::int64_t base_names);

// Text features [names, embed] of hand-written sentences. With several, the mean of the normalised
// features of each: normalised again, or, with `logits`, left as it is (zeroshot.h).
at::Tensor sentence_features(const TextModel& text_model, const std::vector<std::string>& names,
                             const std::vector<std::string>& templates, bool logits);

// The sentence of a teacher: where the run's templates are a dataset of CoOp's, that method's own
// for it; else the run's.
std::vector<std::string> teacher_templates(const TuningTask& task, TemplateStyle style);

// The plain sentence: "a photo of a {}.", whatever the run's templates are.
std::string plain_template(const TuningTask& task);

// The words that an option `init` stands for: "auto" is the task's plain words.
std::string init_words(const TuningTask& task, const std::string& init);

// Base names, then new ones.
std::vector<std::string> all_names(const TuningTask& task,
                                   const std::vector<std::string>& new_names);

}  // namespace openworld
