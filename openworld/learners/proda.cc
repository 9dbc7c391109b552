#include "openworld/learners/proda.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/stack.h>
#include <fmt/format.h>

#include <numeric>

#include "openworld/base/error.h"
#include "openworld/base/random.h"
#include "openworld/learners/common/initial_values.h"
#include "openworld/learners/common/losses.h"
#include "openworld/learners/text_classifier.h"

namespace openworld {
namespace {

using at::Tensor;

constexpr std::uint64_t kOrderStream = 3'000'017;

class Proda : public Learner {
 public:
  Proda(const TuningTask& task, const ProdaOptions& options)
      : Learner(task),
        options_(options),
        pool_(task.text_model.threads),
        stage_(options.stage("prompts", {"context"})) {
    if (options.prompts % options.prompt_batch != 0) {
      fail("prompts", fmt::format("option prompt_batch is {}, which does not divide prompts, {}",
                                  options.prompt_batch, options.prompts));
    }
    add_parameter("context", start());
    tokens_ = parameters_.at("context").size(1);
    base_ = lists_of(task.base_names);
    std::vector<PromptRow> rows = {
        token_row(task.text_model.tokenizer->vocabulary().start_of_text)};
    for (std::int32_t i = 0; i < tokens_; ++i) rows.push_back(learnable_row(i));
    for (const std::int32_t id : task.text_model.tokenizer->encode(".")) {
      rows.push_back(token_row(id));
    }
    rows.push_back(token_row(task.text_model.tokenizer->vocabulary().end_of_text));
    nameless_ = std::make_unique<PromptList>(task.text_model, std::vector{Prompt{rows}}, tokens_);
  }

  std::vector<Stage> stages() const override { return {stage_}; }

  Tensor loss(std::size_t, const Batch& batch) override {
    const std::vector<std::int64_t> chosen =
        contexts_of_step(options_.prompts, options_.prompt_batch, task_.seed, batch.step);
    // In one call, so that no thread waits for the last prompts of another.
    const std::vector<Tensor> features = features_of(base_, chosen, /*nameless=*/true);
    const Tensor texts = at::stack({features.data(), chosen.size()});  // [k, names, embed]
    const Tensor mean = texts.mean(0);
    const double s = logit_scale(clip());
    const Tensor logits =
        scaled_logits(clip(), batch.features, mean) + s * s / 2 * spread(batch, texts - mean);
    return cross_entropy(logits, batch.labels) +
           options_.lambda * overlap(features.back().select(1, 0));
  }

  ViewScorer view_scorer(const std::vector<NameList>& lists) override {
    const at::NoGradGuard no_grad;
    Lists all = lists_of(NameTable(task_, lists).names());
    std::vector<std::int64_t> contexts(static_cast<std::size_t>(options_.prompts));
    std::iota(contexts.begin(), contexts.end(), 0);
    return text_scorer(clip(), at::stack(features_of(all, contexts, false)).mean(0));
  }

 private:
  // Names with the context in front of them, around them and after them.
  struct Lists {
    std::vector<ContextPrompts> by_position;  // NamePosition
  };

  Tensor start() const {
    const std::string words = init_words(task_, options_.init);
    std::vector<Tensor> contexts;
    for (std::int64_t k = 0; k < options_.prompts; ++k) {
      contexts.push_back(start_rows(task_.text_model, words, options_.tokens, task_.seed,
                                    static_cast<std::uint64_t>(k)));
    }
    return at::stack(contexts);
  }

  Lists lists_of(const std::vector<std::string>& names) const {
    Lists lists;
    for (const NamePosition position :
         {NamePosition::kEnd, NamePosition::kMiddle, NamePosition::kFront}) {
      lists.by_position.emplace_back(task_.text_model, names,
                                     PromptShape{.tokens = tokens_, .position = position});
    }
    return lists;
  }

  // A quarter of the contexts follows the name, a quarter surrounds it, and half precede it.
  NamePosition position_of(std::int64_t context) const {
    if (context < options_.prompts / 4) return NamePosition::kFront;
    return context < options_.prompts / 2 ? NamePosition::kMiddle : NamePosition::kEnd;
  }

  // [names, embed] of each of the contexts; with `nameless`, then [contexts, 1, embed] of all of
  // them without a name.
  std::vector<Tensor> features_of(Lists& lists, const std::vector<std::int64_t>& contexts,
                                  bool nameless) {
    std::vector<PromptList*> prompts;
    std::vector<Tensor> rows;
    for (const std::int64_t k : contexts) {
      prompts.push_back(&lists.by_position[static_cast<std::size_t>(position_of(k))]);
      rows.push_back(parameters_.at("context").select(0, k));
    }
    if (nameless) {
      prompts.push_back(nameless_.get());
      rows.push_back(parameters_.at("context"));
    }
    return pool_.features(prompts, rows);
  }

  // sigma [images, names] of deviations d [k, names, embed]: with e the images' squared features,
  // sums of e d_y^2 + e d_c^2 - 2 e d_y d_c, none of which needs a matrix of names by names.
  Tensor spread(const Batch& batch, const Tensor& d) const {
    const std::int64_t count = d.size(0);
    const Tensor squares = batch.features.square();
    const Tensor own = at::matmul(squares, d.square().sum(0).t());  // [images, names]
    const Tensor of_label = own.gather(1, batch.labels.unsqueeze(1));
    const Tensor weighted = squares * d.index_select(1, batch.labels);  // [k, images, embed]
    const Tensor both = at::matmul(weighted, d.transpose(1, 2)).sum(0);
    const auto divisor = static_cast<double>(
        options_.divisor == "ports" ? count + 1 : std::max<std::int64_t>(1, count - 1));
    return (of_label + own - 2 * both) / divisor;
  }

  // How much the contexts say the same: the mean of |cos| over pairs of their features `u`.
  static Tensor overlap(const Tensor& u) {
    const Tensor cosines = at::matmul(u, u.t());
    const auto pairs = static_cast<double>(u.size(0) * (u.size(0) - 1));
    const Tensor others = 1 - at::eye(u.size(0), u.options().requires_grad(false));
    return (cosines.abs() * others).sum() / std::max(pairs, 1.0);
  }

  ProdaOptions options_;
  PromptPool pool_;
  Stage stage_;
  std::int64_t tokens_ = 0;
  Lists base_;
  std::unique_ptr<PromptList> nameless_;
};

}  // namespace

std::vector<std::int64_t> contexts_of_step(std::int64_t prompts, std::int64_t count,
                                           std::uint64_t seed, std::int64_t step) {
  const std::int64_t turns = prompts / count;
  std::vector<std::uint32_t> order(static_cast<std::size_t>(prompts));
  std::iota(order.begin(), order.end(), 0u);
  Random random(mix64(seed ^ kOrderStream), static_cast<std::uint64_t>(step / turns));
  shuffle(order, random);
  const auto begin = order.begin() + step % turns * count;
  return {begin, begin + count};
}

ProdaOptions::ProdaOptions() {
  lr = 0.001;
}

void ProdaOptions::declare(OptionList& list) {
  list.add("prompts", prompts, 4, 4096,
           "contexts: a quarter after the name, a quarter around it, half before it");
  list.add("prompt_batch", prompt_batch, 2, 4096, "contexts in one step");
  list.add("lambda", lambda, 0, 1e6, "weight of the contexts' difference from each other");
  list.add("divisor", divisor, {"ports", "unbiased"},
           "of the covariance of K features: K + 1 as in the public ports, or K - 1");
  PromptOptions::declare(list);
}

std::unique_ptr<Learner> ProdaOptions::make(const TuningTask& task) const {
  return std::make_unique<Proda>(task, *this);
}

}  // namespace openworld
