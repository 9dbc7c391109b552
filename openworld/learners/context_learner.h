#pragma once

// What CoOp and those after it have in common: one learned context before all names, cosines, and
// the maximum softmax probability as detection score.

#include <memory>
#include <string>
#include <vector>

#include "openworld/learners/text_classifier.h"
#include "openworld/learners/training_options.h"

namespace openworld {

struct ContextOptions : PromptOptions {
  std::string position = "end";
  bool class_specific = false;

  void declare(OptionList& list) override;
};

class ContextLearner : public Learner {
 public:
  ContextLearner(const TuningTask& task, const ContextOptions& options);

  std::vector<Stage> stages() const override;
  at::Tensor loss(std::size_t stage, const Batch& batch) override;
  ViewScorer view_scorer(const std::vector<NameList>& lists) override;

 protected:
  // The loss of a method, by default CoOp's cross-entropy; `texts` are normalised features of the
  // base names.
  virtual at::Tensor loss_of(const Batch& batch, const at::Tensor& texts,
                             const at::Tensor& logits) const;

  // Of all names of a table, with the context as it is. Throws Error as view_scorer does.
  at::Tensor name_features(const std::vector<NameList>& lists);

  at::Tensor texts() { return pool_.features(*prompts_, context_); }

  // For subclasses that start elsewhere.
  ContextLearner(const TuningTask& task, const ContextOptions& options, const at::Tensor& rows);

 private:
  std::vector<Stage> stages_;
  PromptShape shape_;
  PromptPool pool_;
  at::Tensor context_;
  std::unique_ptr<ContextPrompts> prompts_;
};

NamePosition name_position(const std::string& name);

}  // namespace openworld
