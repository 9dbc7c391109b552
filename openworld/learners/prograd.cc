#include "openworld/learners/prograd.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include "openworld/base/error.h"
#include "openworld/learners/common/losses.h"

namespace openworld {
namespace {

using at::Tensor;

class Prograd : public ContextLearner {
 public:
  Prograd(const TuningTask& task, const ProgradOptions& options)
      : ContextLearner(task, options, padded_rows(task, options)),
        lambda_(options.lambda),
        temperature_(options.temperature),
        teacher_(sentence_features(task.text_model, task.base_names,
                                   teacher_templates(task.sentences, TemplateStyle::kProGrad),
                                   false)) {}

  double backward(std::size_t, const Batch& batch) override {
    const Tensor logits = scaled_logits(clip(), batch.features, texts());
    const Tensor own = cross_entropy(logits, batch.labels);
    const Tensor target =
        at::softmax(scaled_logits(clip(), batch.features, teacher_) / temperature_, 1);
    const Tensor agree = -(target * at::log_softmax(logits / temperature_, 1)).sum(1).mean() *
                         (temperature_ * temperature_);
    Tensor context = parameters().at("context");
    Tensor g = torch::autograd::grad({own}, {context}, {}, true)[0];
    const Tensor q = torch::autograd::grad({agree}, {context})[0];
    const double along = (g * q).sum().item<double>();
    const double length = (q * q).sum().item<double>();
    if (along < 0 && length > 0) g = g - q * (lambda_ * along / length);
    context.mutable_grad() = g;
    return own.item<double>();
  }

 private:
  // The words are the last rows; those before them are zero, not noise, in the released code.
  static Tensor padded_rows(const TuningTask& task, const ProgradOptions& options) {
    if (init_words(task, options.init).empty()) return first_context(task, options);
    const Tensor words = first_context(task, options);
    if (words.size(0) > options.tokens) {
      fail("prompts", fmt::format("option init has {} tokens; expected at most tokens, {}",
                                  words.size(0), options.tokens));
    }
    return at::cat(
        {at::zeros({options.tokens - words.size(0), words.size(1)}, words.options()), words});
  }

  double lambda_, temperature_;
  Tensor teacher_;
};

}  // namespace

ProgradOptions::ProgradOptions() {
  init = "auto";
  epochs = 100;
}

void ProgradOptions::declare(OptionList& list) {
  list.add("lambda", lambda, 0, 1, "share of the opposing part that is taken away");
  list.add("temperature", temperature, 1e-6, 1e6, "of the agreement with the zero-shot model");
  ContextOptions::declare(list);
}

std::unique_ptr<Learner> ProgradOptions::make(const TuningTask& task) const {
  return std::make_unique<Prograd>(task, *this);
}

}  // namespace openworld
