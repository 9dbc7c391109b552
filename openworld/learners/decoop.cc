#include "openworld/learners/decoop.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "openworld/base/error.h"
#include "openworld/io/origin.h"
#include "openworld/learners/common/losses.h"
#include "openworld/learners/common/otsu.h"
#include "openworld/learners/detectors.h"

namespace openworld {
namespace {

using at::Tensor;

constexpr std::size_t kDetectorStage = 0;

// The gap between the entropy of `columns` equal probabilities and of 0.6 for one of them.
double automatic_margin(std::int64_t columns) {
  const auto n = static_cast<double>(columns);
  if (columns < 2) return 0;
  return std::log(n) + 0.6 * std::log(0.6) + 0.4 * std::log(0.4 / (n - 1));
}

double parse_margin(const std::string& text, std::int64_t columns) {
  if (text == "auto") return automatic_margin(columns);
  double margin = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, margin);
  if (error != std::errc() || stop != end || !(margin >= 0 && margin <= 1e6)) {
    fail("prompts",
         fmt::format("option margin is {}; expected auto or a number from 0", in_quotes(text)));
  }
  return margin;
}

class Decoop : public Learner {
 public:
  Decoop(const TuningTask& task, const DecoopOptions& options)
      : Learner(task),
        pool_(task.text_model.threads),
        detectors_(task, options.partitions),
        margin_(parse_margin(options.margin,
                             static_cast<std::int64_t>(detectors_.partition(0).columns.size()))) {
    const std::string words = init_words(task, options.init);
    std::vector<std::string> detector_names, classifier_names;
    for (std::size_t k = 0; k < detectors_.size(); ++k) {
      const auto start = [&](const std::string& name, std::int64_t tokens, std::uint64_t stream) {
        return add_parameter(name, start_rows(task.text_model, words, tokens, task.seed, stream));
      };
      detector_names.push_back(numbered("detector", k));
      classifier_names.push_back(numbered("classifier", k));
      detector_contexts_.push_back(start(detector_names[k], options.detector_tokens, 2 * k));
      classifier_contexts_.push_back(
          start(classifier_names[k], options.classifier_tokens, 2 * k + 1));
    }
    detector_shape_ = {.tokens = detector_contexts_[0].size(0)};
    classifier_shape_ = {.tokens = classifier_contexts_[0].size(0)};
    detectors_.make_prompts(task, detector_shape_.tokens);
    classifier_prompts_.emplace(task.text_model, task.base_names, classifier_shape_);
    constants_["threshold"] = at::zeros({1}, clip().logit_scale.options());
    DecoopOptions second = options;
    second.schedule = options.classifier_schedule;
    second.epochs = options.classifier_epochs > 0 ? options.classifier_epochs : 2 * options.epochs;
    stages_ = {options.stage("detectors", detector_names),
               second.stage("classifiers", classifier_names)};
  }

  std::vector<Stage> stages() const override { return stages_; }

  void begin_stage(std::size_t stage, const Episode& episode) override {
    if (stage == kDetectorStage) return;
    const at::NoGradGuard no_grad;
    base_detector_texts_ = detector_texts(task_.base_names);
    base_zero_shot_texts_ = zero_shot_texts(NameTable(task_, {}));
    const Tensor images = episode.features.flatten(0, -2);  // of all views
    const Tensor sure = detectors_.scores(clip(), images, base_detector_texts_);
    double threshold = 1;
    for (std::size_t k = 0; k < detectors_.size(); ++k) {
      const Tensor q = sure.select(1, static_cast<std::int64_t>(k)).to(at::kCPU).contiguous();
      threshold = std::min(
          threshold, otsu_threshold({q.data_ptr<float>(), static_cast<std::size_t>(q.numel())}));
    }
    constants_["threshold"] = at::full({1}, threshold, clip().logit_scale.options());
  }

  Tensor loss(std::size_t stage, const Batch& batch) override {
    return stage == kDetectorStage ? detector_loss(batch) : classifier_loss(batch);
  }

  ViewScorer view_scorer(const std::vector<NameList>& lists) override {
    const at::NoGradGuard no_grad;
    const NameTable table(task_, lists);
    ContextPrompts prompts(task_.text_model, table.names(), classifier_shape_);
    const std::vector<PromptList*> all(detectors_.size(), &prompts);
    return [this, classes = table.classes(), of_detectors = detector_texts(table.names()),
            zero_shot = zero_shot_texts(table),
            of_classifiers = pool_.features(all, classifier_contexts_)](
               const ScoredImages& scored, std::span<const NameColumns> views) {
      const Tensor& images = scored.features;
      std::vector<Tensor> detected, classified;
      for (std::size_t k = 0; k < detectors_.size(); ++k) {
        detected.push_back(scaled_logits(clip(), images, of_detectors[k]));
        classified.push_back(scaled_logits(clip(), images, of_classifiers[k]));
      }
      const Tensor fallback = scaled_logits(clip(), images, zero_shot);
      std::vector<Scores> scores;
      for (const NameColumns& view : views) {
        const Tensor q = detectors_.scores(detected, view, classes);
        const Tensor logits = chosen_logits(q, classified, fallback);
        scores.push_back(
            {columns_of(logits, view.base), columns_of(logits, view.new_names), q.amax(1)});
      }
      return scores;
    };
  }

 private:
  std::vector<Tensor> detector_texts(const std::vector<std::string>& names) {
    ContextPrompts prompts(task_.text_model, names, detector_shape_);
    const std::vector<PromptList*> lists(detectors_.size(), &prompts);
    return pool_.features(lists, detector_contexts_);
  }

  // By column, in the ensembles of all names' sentences.
  Tensor zero_shot_texts(const NameTable& table) const {
    const auto choose = [](const Sentences& sentences) { return sentences.ensemble; };
    return sentence_features(task_.text_model, table, choose, true);
  }

  // The mean of the classifiers whose detectors are sure, over all of them; zero-shot CLIP where
  // none is.
  Tensor chosen_logits(const Tensor& q, const std::vector<Tensor>& classified,
                       const Tensor& fallback) const {
    const Tensor sure = (q >= constants_.at("threshold").item<float>()).to(at::kFloat);
    Tensor logits = at::zeros_like(fallback);
    for (std::size_t k = 0; k < detectors_.size(); ++k) {
      logits += sure.narrow(1, static_cast<std::int64_t>(k), 1) * classified[k];
    }
    logits /= static_cast<double>(detectors_.size());
    return at::where(sure.amax(1, true) > 0, logits, fallback);
  }

  // Which detectors know the images, [n, K], and what the zero-shot ensemble says of them, as log
  // probabilities [n, base names].
  std::pair<Tensor, Tensor> teachers(const Tensor& images) const {
    const at::NoGradGuard no_grad;
    const Tensor q = detectors_.scores(clip(), images, base_detector_texts_);
    return {q >= constants_.at("threshold").item<float>(),
            at::log_softmax(scaled_logits(clip(), images, base_zero_shot_texts_), 1)};
  }

  Tensor detector_loss(const Batch& batch) {
    std::vector<PromptList*> lists;
    for (std::size_t k = 0; k < detectors_.size(); ++k) lists.push_back(&detectors_.prompts(k));
    const std::vector<Tensor> texts = pool_.features(lists, detector_contexts_);
    Tensor total = at::zeros({}, batch.features.options());
    for (std::size_t k = 0; k < detectors_.size(); ++k) {
      const auto [base, columns, new_side] = detectors_.sides(k, batch.labels);
      if (base.numel() == 0) continue;
      const Tensor logits = scaled_logits(clip(), batch.features, texts[k]);
      const Tensor base_logits = logits.index_select(0, base);
      total = total + cross_entropy(base_logits, columns);
      if (new_side.numel() == 0) continue;
      const Tensor gap =
          entropy(base_logits).mean() - entropy(logits.index_select(0, new_side)).mean();
      total = total + (gap + margin_).clamp_min(0);
    }
    return total / static_cast<double>(detectors_.size());
  }

  Tensor classifier_loss(const Batch& batch) {
    const std::vector<PromptList*> lists(detectors_.size(), &*classifier_prompts_);
    const std::vector<Tensor> texts = pool_.features(lists, classifier_contexts_);
    const auto [sure, target] = teachers(batch.features);
    Tensor total = at::zeros({}, batch.features.options());
    for (std::size_t k = 0; k < detectors_.size(); ++k) {
      const Tensor mine = sure.select(1, static_cast<std::int64_t>(k));
      const Tensor inside = mine.nonzero().squeeze(1), outside = (~mine).nonzero().squeeze(1);
      const Tensor logits = scaled_logits(clip(), batch.features, texts[k]);
      if (inside.numel() > 0) {
        total = total +
                cross_entropy(logits.index_select(0, inside), batch.labels.index_select(0, inside));
      }
      if (outside.numel() > 0) {
        const Tensor q = target.index_select(0, outside);
        const Tensor p = at::log_softmax(logits.index_select(0, outside), 1);
        total = total + (q.exp() * (q - p)).sum(1).mean();
      }
    }
    return total / static_cast<double>(detectors_.size());
  }

  PromptPool pool_;
  Detectors detectors_;
  double margin_;
  PromptShape detector_shape_, classifier_shape_;
  std::optional<ContextPrompts> classifier_prompts_;
  std::vector<Stage> stages_;
  std::vector<Tensor> detector_contexts_, classifier_contexts_;
  // Of the base names, from the second stage on.
  std::vector<Tensor> base_detector_texts_;
  Tensor base_zero_shot_texts_;
};

}  // namespace

DecoopOptions::DecoopOptions() {
  schedule = "constant";
  momentum = 0;
  weight_decay = 0;
  drop_last = false;
}

void DecoopOptions::declare(OptionList& list) {
  list.add("partitions", partitions, 2, 1 << 20, "detectors, and classifiers: K");
  list.add("detector_tokens", detector_tokens, 1, 1024, "rows of a detector's context");
  list.add("classifier_tokens", classifier_tokens, 1, 1024, "rows of a classifier's context");
  list.add("init", init, kInitHelp);
  list.add("margin", margin, "of entropy between pseudo-base and pseudo-new images, or auto");
  list.add("classifier_epochs", classifier_epochs, 0, 1 << 20,
           "epochs of the second stage; 0: twice those of the first");
  list.add("classifier_schedule", classifier_schedule,
           {"dassl", "cosine", "cosine_step", "constant"}, "of the second stage");
  TrainingOptions::declare(list);
}

std::unique_ptr<Learner> DecoopOptions::make(const TuningTask& task) const {
  return std::make_unique<Decoop>(task, *this);
}

}  // namespace openworld
