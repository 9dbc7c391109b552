#include "openworld/learners/dept.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/index_copy.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include "openworld/base/error.h"
#include "openworld/learners/common/initial_values.h"
#include "openworld/learners/common/losses.h"
#include "openworld/learners/conditional_context.h"
#include "openworld/learners/text_classifier.h"
#include "openworld/vlm/index_tensor.h"
#include "openworld/vlm/row_products.h"

namespace openworld {
namespace {

using at::Tensor;

constexpr std::uint64_t kHeadStream = 20;

class Dept : public Learner {
 public:
  Dept(const TuningTask& task, const DeptOptions& options)
      : Learner(task),
        options_(options),
        conditional_(options.on == "cocoop"),
        pool_(task.text_model.threads) {
    const Tensor context = add_parameter("context", first_context(task, options));
    std::vector<std::string> names = {"context"};
    if (conditional_) {
      for (const auto& [name, value] : conditional_values(task, options.hidden)) {
        add_parameter(name, value);
        names.push_back(name);
      }
    }
    stage_ = options.stage("prompts", names);
    const std::int64_t embed = clip().config.embed;
    const LinearValues head = linear_values(embed, base_count(), task.seed, kHeadStream);
    add_to_head("head.weight", head.weight);
    add_to_head("head.bias", head.bias);
    for (const char* const side : {"image", "text"}) {
      add_to_head(std::string(side) + "_channels.scale", at::ones({embed}));
      add_to_head(std::string(side) + "_channels.shift", at::zeros({embed}));
    }
    shape_ = {.tokens = context.size(0)};
    prompts_ = std::make_unique<ContextPrompts>(task.text_model, task.base_names, shape_);
    if (options.on == "kgcoop") {
      teacher_ =
          sentence_features(task.text_model, task.base_names,
                            teacher_templates(task.sentences, TemplateStyle::kKgCoop), false);
    }
  }

  std::vector<Stage> stages() const override { return {stage_}; }

  Tensor loss(std::size_t, const Batch& batch) override {
    const Tensor texts =
        pool_.encoded(*prompts_, conditional_ ? conditional_contexts(parameters_, batch.features)
                                              : parameters_.at("context"));
    const Tensor g = normalized(texts);  // [names, embed], or of every image
    const Tensor logits = conditional_ ? logit_scale(clip()) * own_cosines(batch.features, g)
                                       : scaled_logits(clip(), batch.features, g);
    const Tensor of_labels = label_texts(texts, batch.labels);
    const Tensor both = at::cat({channels("text", of_labels), channels("image", images_of(batch))});
    const Tensor head_loss =
        cross_entropy(head_logits(both), at::cat({batch.labels, batch.labels}));
    const Tensor sum =
        (1 - options_.head) * cross_entropy(logits, batch.labels) + options_.head * head_loss;
    if (!teacher_.defined()) return sum;
    return sum + options_.weight * (1 - (g * teacher_).sum(1).mean());
  }

  ViewScorer view_scorer(const std::vector<NameList>& lists) override {
    const at::NoGradGuard no_grad;
    const NameTable table(task_, lists);
    const auto names = std::make_shared<ContextPrompts>(task_.text_model, table.names(), shape_);
    const Tensor texts =
        conditional_ ? Tensor() : pool_.features(*names, parameters_.at("context"));
    return [this, names, texts, classes = table.classes()](const ScoredImages& images,
                                                           std::span<const NameColumns> views) {
      const at::NoGradGuard scoring;
      const Tensor cosines =
          conditional_
              ? logit_scale(clip()) * cosines_of_each(pool_, *names, parameters_, images.features)
              : scaled_logits(clip(), images.features, texts);
      std::vector<Scores> scores = msp_scores(with_head(cosines, images, classes), views);
      if (options_.score == "cosines") {
        for (std::size_t v = 0; v < views.size(); ++v) {
          scores[v].r = largest_base_probability(cosines, views[v]);
        }
      }
      return scores;
    };
  }

 private:
  // The head has its share in the columns of base names.
  Tensor with_head(const Tensor& cosines, const ScoredImages& images,
                   const std::vector<std::int64_t>& classes) const {
    std::vector<std::int64_t> base, of_head;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (classes[i] < 0) continue;
      base.push_back(static_cast<std::int64_t>(i));
      of_head.push_back(classes[i]);
    }
    const Tensor head = head_logits(channels("image", raw(images.features, images.lengths)));
    const Tensor fused =
        (1 - options_.head) * columns_of(cosines, base) + options_.head * columns_of(head, of_head);
    return cosines.index_copy(1, index_tensor(base, cosines.device()), fused);
  }

  void add_to_head(const std::string& name, const Tensor& value) {
    add_parameter(name, value.to(clip().device()));
    stage_.parameters.push_back(name);
    stage_.lr_factors[name] = options_.head_lr;
  }

  // As the encoder gave them.
  static Tensor raw(const Tensor& features, const Tensor& lengths) {
    if (!lengths.defined()) {
      fail("tune",
           "there are only normalised features of images; expected their lengths too, "
           "which the head of this method needs");
    }
    return features * lengths.unsqueeze(1);
  }
  static Tensor images_of(const Batch& batch) { return raw(batch.features, batch.lengths); }

  // The text of each image's class: [n, embed].
  Tensor label_texts(const Tensor& texts, const Tensor& labels) const {
    if (!conditional_) return texts.index_select(0, labels);
    const Tensor at = labels.reshape({-1, 1, 1}).expand({-1, 1, texts.size(2)});
    return texts.gather(1, at).squeeze(1);
  }

  Tensor channels(const std::string& side, const Tensor& features) const {
    return features * parameters_.at(side + "_channels.scale") +
           parameters_.at(side + "_channels.shift");
  }

  Tensor head_logits(const Tensor& features) const {
    return row_products(features, parameters_.at("head.weight").t()) + parameters_.at("head.bias");
  }

  DeptOptions options_;
  bool conditional_;
  PromptPool pool_;
  PromptShape shape_;
  std::unique_ptr<ContextPrompts> prompts_;
  Tensor teacher_;
  Stage stage_;
};

}  // namespace

DeptOptions::DeptOptions() {
  tokens = 4;
  init = "auto";
  epochs = 10;
  batch = 4;
  lr = 0.0035;
}

void DeptOptions::declare(OptionList& list) {
  list.add("on", on, {"kgcoop", "coop", "cocoop"}, "the method whose prompt it tunes");
  list.add("head", head, 0, 1, "share of the head in loss and logits");
  list.add("weight", weight, 0, 1e6, "of staying close to the hand-written sentence, on kgcoop");
  list.add("head_lr", head_lr, 0, 1e6, "learning rate of the head, in units of lr");
  list.add("hidden", hidden, 0, 1 << 16,
           "width of the net's inner layer, on cocoop; 0: a sixteenth of the features'");
  list.add("score", score, {"fused", "cosines"},
           "r, MSP among all names: with the head's share for base names, or of cosines alone");
  PromptOptions::declare(list);
}

std::unique_ptr<Learner> DeptOptions::make(const TuningTask& task) const {
  return std::make_unique<Dept>(task, *this);
}

}  // namespace openworld
