#include "openworld/learners/context_learner.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "openworld/base/error.h"
#include "openworld/learners/common/losses.h"
#include "openworld/vlm/index_tensor.h"

namespace openworld {

using at::Tensor;

void ContextOptions::declare(OptionList& list) {
  declare_prompt(list);
  list.add("position", position, {"end", "middle", "front"}, "of the class name in the prompt");
  list.add("class_specific", class_specific,
           "every base class has a context of its own, and new names none");
  TrainingOptions::declare(list);
}

NamePosition name_position(const std::string& name) {
  return name == "front"    ? NamePosition::kFront
         : name == "middle" ? NamePosition::kMiddle
                            : NamePosition::kEnd;
}

ContextLearner::ContextLearner(const TuningTask& task, const ContextOptions& options)
    : ContextLearner(task, options, first_context(task, options)) {}

ContextLearner::ContextLearner(const TuningTask& task, const ContextOptions& options,
                               const Tensor& rows)
    : Learner(task),
      stages_({options.stage("prompts", {"context"})}),
      shape_({rows.size(0), name_position(options.position), options.class_specific}),
      pool_(task.text_model.threads) {
  const auto classes = static_cast<std::int64_t>(task.base_names.size());
  context_ = add_parameter(
      "context", shape_.class_specific ? rows.unsqueeze(0).repeat({classes, 1, 1}) : rows);
  prompts_ = std::make_unique<ContextPrompts>(task.text_model, task.base_names, shape_);
}

std::vector<Stage> ContextLearner::stages() const {
  return stages_;
}

Tensor ContextLearner::loss(std::size_t, const Batch& batch) {
  const Tensor features = texts();
  return loss_of(batch, features, scaled_logits(clip(), batch.features, features));
}

Tensor ContextLearner::loss_of(const Batch& batch, const Tensor&, const Tensor& logits) const {
  return cross_entropy(logits, batch.labels);
}

Tensor ContextLearner::name_features(const std::vector<NameList>& lists) {
  const at::NoGradGuard no_grad;
  const NameTable table(task_, lists);
  if (!shape_.class_specific) {
    ContextPrompts prompts(task_.text_model, table.names(), shape_);
    return pool_.features(prompts, context_);
  }
  if (std::ranges::find(table.classes(), -1) != table.classes().end()) {
    fail("prompts",
         "option class_specific is true, which has no prompt for new names; expected "
         "all classes to be base");
  }
  return texts().index_select(0, index_tensor(table.classes(), context_.device()));
}

ViewScorer ContextLearner::view_scorer(const std::vector<NameList>& lists) {
  return text_scorer(clip(), name_features(lists));
}

}  // namespace openworld
