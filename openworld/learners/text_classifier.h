#pragma once

// Logits and the maximum softmax probability as detection score, from text features.

#include <ATen/core/Tensor.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "openworld/learners/common/prompted_images.h"
#include "openworld/learners/learner.h"
#include "openworld/learners/name_table.h"
#include "openworld/worlds/templates.h"

namespace openworld {

// s cos: image features and text features, both normalised unless a logit ensemble made the latter
// shorter.
at::Tensor scaled_logits(const Clip& clip, const at::Tensor& images, const at::Tensor& texts);

// Some columns of [n, names].
at::Tensor columns_of(const at::Tensor& values, std::span<const std::int64_t> columns);

// The largest probability of a base name among the names that r compares, by a softmax of these
// values [n, names]; 0 without base names.
at::Tensor largest_base_probability(const at::Tensor& values, const NameColumns& view);

// Scores of a method that has one logit per name: r is the largest probability of a base name among
// all names of the view (Algorithm 1 of the OpenworldAUC paper, with CLIP's temperature).
Scores msp_scores(const at::Tensor& logits, const NameColumns& view);
std::vector<Scores> msp_scores(const at::Tensor& logits, std::span<const NameColumns> views);

// The same of one text feature per name.
ViewScorer text_scorer(const Clip& clip, at::Tensor texts);

// The same of images that are encoded with rows of `prompts()` in the vision tower, which are asked
// for when images are scored. REQUIRES: what it refers to outlives it.
ViewScorer class_token_scorer(const Clip& clip, PromptedImages& images,
                              std::function<VisionOptions()> prompts, at::Tensor texts);

// Text features [names, embed] of hand-written sentences. With several, the mean of the normalised
// features of each: normalised again, or, with `logits`, left as it is (zeroshot.h).
at::Tensor sentence_features(const TextModel& text_model, const std::vector<std::string>& names,
                             const std::vector<std::string>& templates, bool logits);

// Which of the sentences for some names a method takes.
using ChooseTemplates = std::function<std::vector<std::string>(const Sentences&)>;

// The same of all names of a table, each in the templates that are chosen of its sentences.
at::Tensor sentence_features(const TextModel& text_model, const NameTable& table,
                             const ChooseTemplates& choose, bool logits);

// The sentence of a teacher: where the run's templates are a dataset of CoOp's, that method's own
// for it; else the run's.
std::vector<std::string> teacher_templates(const Sentences& sentences, TemplateStyle style);

// The plain sentence: "a photo of a {}.", whatever the run's templates are.
std::string plain_template(const Sentences& sentences);

// The words that an option `init` stands for: "auto" is the task's plain words.
std::string init_words(const TuningTask& task, const std::string& init);

}  // namespace openworld
