#include "openworld/learners/kgcoop.h"

#include <ATen/TensorOperators.h>

#include "openworld/learners/common/losses.h"

namespace openworld {
namespace {

using at::Tensor;

class Kgcoop : public ContextLearner {
 public:
  Kgcoop(const TuningTask& task, const KgcoopOptions& options)
      : ContextLearner(task, options),
        weight_(options.weight),
        teacher_(sentence_features(task.text_model, task.base_names,
                                   teacher_templates(task.sentences, TemplateStyle::kKgCoop),
                                   false)) {}

 protected:
  Tensor loss_of(const Batch& batch, const Tensor& texts, const Tensor& logits) const override {
    const Tensor away = 1 - (texts * teacher_).sum(1).mean();
    return cross_entropy(logits, batch.labels) + weight_ * away;
  }

 private:
  double weight_;
  Tensor teacher_;
};

}  // namespace

KgcoopOptions::KgcoopOptions() {
  init = "auto";
  epochs = 100;
  batch = 128;
}

void KgcoopOptions::declare(OptionList& list) {
  list.add("weight", weight, 0, 1e6, "of staying close to the hand-written sentence");
  ContextOptions::declare(list);
}

std::unique_ptr<Learner> KgcoopOptions::make(const TuningTask& task) const {
  return std::make_unique<Kgcoop>(task, *this);
}

}  // namespace openworld
