#include "openworld/learners/gmop.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softmax.h>

#include <optional>

#include "openworld/learners/common/losses.h"
#include "openworld/learners/detectors.h"

namespace openworld {
namespace {

using at::Tensor;

// How much a sample counts, from the logits of the classifier that names it.
Tensor gate(const std::string& kind, const Tensor& logits, const Tensor& labels) {
  if (kind == "sigmoid") return at::sigmoid(label_probability(logits, labels));
  if (kind == "logit") return at::sigmoid(logits.gather(1, labels.unsqueeze(1)).squeeze(1));
  if (kind == "zero_one") return (logits.argmax(1) == labels).to(logits.scalar_type());
  return at::ones_like(labels, logits.options());
}

class Gmop : public Learner {
 public:
  Gmop(const TuningTask& task, const GmopOptions& options)
      : Learner(task),
        options_(options),
        pool_(task.text_model.threads),
        detectors_(task, options.partitions),
        trained_new_(options.new_classifier == "trained" && !options.single) {
    const std::string words = init_words(task, options.init);
    const auto start = [&](const std::string& name, std::int64_t tokens, std::uint64_t stream) {
      return add_parameter(name, start_rows(task.text_model, words, tokens, task.seed, stream));
    };
    classifier_ = options.single ? start("prompt", options.detector_tokens, 0)
                                 : start("classifier", options.classifier_tokens, 0);
    if (trained_new_) new_classifier_ = start("new_classifier", options.classifier_tokens, 1);
    for (std::size_t k = 0; k < detectors_.size(); ++k) {
      detector_contexts_.push_back(
          options.single ? classifier_
                         : start(numbered("detector", k), options.detector_tokens, 2 + k));
    }
    classifier_shape_ = {.tokens = classifier_.size(0)};
    classifier_prompts_.emplace(task.text_model, task.base_names, classifier_shape_);
    detectors_.make_prompts(task, detector_contexts_[0].size(0));
    if (!options.single && !trained_new_) {
      zero_shot_texts_ = zero_shot_texts(task.base_names, task.sentences);
    }
  }

  std::vector<Stage> stages() const override {
    std::vector<std::string> names;
    for (const auto& [name, tensor] : parameters()) names.push_back(name);
    return {options_.stage("prompts", names)};
  }

  Tensor loss(std::size_t, const Batch& batch) override {
    std::vector<PromptList*> lists = {&*classifier_prompts_};
    std::vector<Tensor> contexts = {classifier_};
    for (std::size_t k = 0; k < detectors_.size(); ++k) {
      lists.push_back(&detectors_.prompts(k));
      contexts.push_back(detector_contexts_[k]);
    }
    if (trained_new_) {
      lists.push_back(&*classifier_prompts_);
      contexts.push_back(new_classifier_);
    }
    const std::vector<Tensor> texts = pool_.features(lists, contexts);
    const Tensor own = scaled_logits(clip(), batch.features, texts[0]);
    const Tensor other = trained_new_ ? scaled_logits(clip(), batch.features, texts.back())
                         : options_.single
                             ? own
                             : scaled_logits(clip(), batch.features, zero_shot_texts_);
    Tensor total = cross_entropy(own, batch.labels);
    if (trained_new_) total = total + cross_entropy(other, batch.labels);

    Tensor base_gate = gate(options_.gate, own, batch.labels);
    if (options_.detach) base_gate = base_gate.detach();
    const Tensor new_gate = gate(options_.gate, other, batch.labels).detach();
    const auto share = 1 / static_cast<double>(detectors_.size());
    for (std::size_t k = 0; k < detectors_.size(); ++k) {
      const auto [base, columns, new_side] = detectors_.sides(k, batch.labels);
      if (base.numel() == 0 || new_side.numel() == 0) continue;
      const Tensor logits = scaled_logits(clip(), batch.features, texts[1 + k]);
      const Tensor rho = at::softmax(logits, 1).amax(1);
      total = total + options_.alpha * share * cross_entropy(logits.index_select(0, base), columns);
      total = total + options_.lambda * share *
                          gated_pair_loss(rho.index_select(0, base), rho.index_select(0, new_side),
                                          base_gate.index_select(0, base),
                                          new_gate.index_select(0, new_side));
    }
    return total;
  }

  ViewScorer view_scorer(const std::vector<NameList>& lists) override {
    const at::NoGradGuard no_grad;
    const NameTable table(task_, lists);
    ContextPrompts detector_prompts(task_.text_model, table.names(),
                                    {.tokens = detector_contexts_[0].size(0)});
    const std::vector<PromptList*> detector_lists(detectors_.size(), &detector_prompts);
    return [this, texts = classifier_texts(lists), classes = table.classes(),
            of_detectors = pool_.features(detector_lists, detector_contexts_)](
               const ScoredImages& scored, std::span<const NameColumns> views) {
      const Tensor logits = scaled_logits(clip(), scored.features, texts);
      std::vector<Tensor> detected;
      for (const Tensor& own : of_detectors) {
        detected.push_back(scaled_logits(clip(), scored.features, own));
      }
      std::vector<Scores> scores;
      for (const NameColumns& view : views) {
        scores.push_back({columns_of(logits, view.base), columns_of(logits, view.new_names),
                          detectors_.scores(detected, view, classes).amax(1)});
      }
      return scores;
    };
  }

 private:
  // By column: base names as g has them, new ones as h has them.
  Tensor classifier_texts(const std::vector<NameList>& lists) {
    const Tensor base = pool_.features(*classifier_prompts_, classifier_);
    std::vector<Tensor> texts = {base};
    for (const NameList& list : lists) {
      if (list.names.empty()) continue;
      if (list.base) {
        texts.push_back(base);
      } else if (options_.single || trained_new_) {
        ContextPrompts prompts(task_.text_model, list.names, classifier_shape_);
        texts.push_back(pool_.features(prompts, options_.single ? classifier_ : new_classifier_));
      } else {
        texts.push_back(zero_shot_texts(list.names, list.sentences.value_or(task_.sentences)));
      }
    }
    return at::cat(texts);
  }

  Tensor zero_shot_texts(const std::vector<std::string>& names, const Sentences& sentences) const {
    return sentence_features(
        task_.text_model, names,
        options_.zero_shot == "ensemble" ? sentences.ensemble : sentences.templates, true);
  }

  GmopOptions options_;
  PromptPool pool_;
  Detectors detectors_;
  PromptShape classifier_shape_;
  std::optional<ContextPrompts> classifier_prompts_;
  bool trained_new_;
  Tensor classifier_, new_classifier_, zero_shot_texts_;
  std::vector<Tensor> detector_contexts_;
};

}  // namespace

GmopOptions::GmopOptions() {
  epochs = 40;
  schedule = "cosine";
  momentum = 0;
  weight_decay = 0;
  drop_last = false;
}

void GmopOptions::declare(OptionList& list) {
  list.add("partitions", partitions, 2, 1 << 20, "detectors: K");
  list.add("gate", gate, {"sigmoid", "logit", "zero_one", "none"},
           "of pairs: sigmoid of the true class's probability (released code) or of its logit "
           "(paper), whether it is named right, or none");
  list.add("detach", detach, "whether the gate of base images passes no gradient");
  list.add("alpha", alpha, 0, 1e6, "weight of the detectors' cross-entropy (the paper's lambda)");
  list.add("lambda", lambda, 0, 1e6, "weight of the gated pairs");
  list.add("detector_tokens", detector_tokens, 1, 1024, "rows of a detector's context");
  list.add("classifier_tokens", classifier_tokens, 1, 1024, "rows of the classifier's context");
  list.add("init", init, kInitHelp);
  list.add("new", new_classifier, {"zero_shot", "trained"}, "who names new classes");
  list.add("single", single, "one prompt, of detector_tokens rows, for all roles");
  list.add("zero_shot", zero_shot, {"single", "ensemble"},
           "sentences of the zero-shot classifier: the run's (released code), or an ensemble of "
           "seven (paper)");
  TrainingOptions::declare(list);
}

std::unique_ptr<Learner> GmopOptions::make(const TuningTask& task) const {
  return std::make_unique<Gmop>(task, *this);
}

}  // namespace openworld
