#include "openworld/learners/gallop.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/stack.h>

#include <algorithm>

#include "openworld/base/random.h"
#include "openworld/learners/common/losses.h"
#include "openworld/learners/text_classifier.h"
#include "openworld/vlm/index_tensor.h"

namespace openworld {
namespace {

using at::Tensor;

constexpr std::uint64_t kDropoutStream = 4'000'037;

class Gallop : public Learner {
 public:
  Gallop(const TuningTask& task, const GallopOptions& options)
      : Learner(task),
        options_(options),
        pool_(task.text_model.threads),
        stage_(options.stage("prompts", {"global", "local", "local_proj"})) {
    const ClipConfig& config = clip().config;
    // All from the same words, as released; from noise every prompt has its own.
    const auto contexts = [&](std::int64_t count, std::uint64_t stream) {
      std::vector<Tensor> rows;
      const bool words = !init_words(task, options.init).empty();
      for (std::int64_t m = 0; m < count; ++m) {
        rows.push_back(words ? first_context(task, options)
                             : random_rows(task.text_model, options.tokens, task.seed,
                                           stream + static_cast<std::uint64_t>(m)));
      }
      return at::stack(rows);
    };
    constexpr std::uint64_t kLocal = 1000;
    add_parameter("global", contexts(options.global_prompts, 0));
    add_parameter("local", contexts(options.local_prompts, kLocal));
    add_parameter("local_proj", at::eye(config.vision.width).to(clip().device()));
    shape_ = {.tokens = parameters_.at("global").size(1), .after = ""};
    base_ = std::make_unique<ContextPrompts>(task.text_model, task.base_names, shape_);
  }

  std::vector<Stage> stages() const override { return {stage_}; }
  ImageInput scored_input() const override { return ImageInput::kPatchStates; }

  Tensor loss(std::size_t, const Batch& batch) override {
    const std::vector<Tensor> texts = texts_of(*base_);
    const double s = logit_scale(clip());
    const std::vector<Tensor> local = local_cosines(batch.local, texts);
    Tensor sum;
    for (const Tensor& cosines : local) {
      const Tensor own = cross_entropy(s * cosines, batch.labels);
      sum = sum.defined() ? sum + own : own;
    }
    return sum / static_cast<double>(local.size()) + global_loss(batch, texts);
  }

  ViewScorer view_scorer(const std::vector<NameList>& lists) override {
    const at::NoGradGuard no_grad;
    ContextPrompts prompts(task_.text_model, NameTable(task_, lists).names(), shape_);
    return [this, texts = texts_of(prompts)](const ScoredImages& images,
                                             std::span<const NameColumns> views) {
      const at::NoGradGuard scoring;
      std::vector<Tensor> parts_of_image, parts_of_patches;
      // Each image by itself, so that its bits do not depend on the others.
      for (std::int64_t i = 0; i < images.features.size(0); ++i) {
        parts_of_image.push_back(mean_global(images.features.narrow(0, i, 1), texts));
        parts_of_patches.push_back(
            at::stack(local_cosines(images.local.narrow(0, i, 1), texts)).mean(0));
      }
      const Tensor global = at::cat(parts_of_image), local = at::cat(parts_of_patches);
      std::vector<Scores> scores = msp_scores(logit_scale(clip()) * (global + local) / 2, views);
      if (options_.score == "msp") return scores;
      for (std::size_t v = 0; v < views.size(); ++v) scores[v].r = mcm(global, local, views[v]);
      return scores;
    };
  }

 private:
  // Features of the names with every global context, then with every local one.
  std::vector<Tensor> texts_of(ContextPrompts& prompts) {
    std::vector<Tensor> contexts;
    for (const char* const name : {"global", "local"}) {
      for (const Tensor& context : parameters_.at(name).unbind(0)) contexts.push_back(context);
    }
    const std::vector<PromptList*> lists(contexts.size(), &prompts);
    return pool_.features(lists, contexts);
  }

  // Per local prompt the mean [n, names] of its largest cosines over the patches, given states of
  // patches [n, patches, width].
  std::vector<Tensor> local_cosines(const Tensor& states, const std::vector<Tensor>& texts) const {
    const Tensor mapped = at::matmul(states, parameters_.at("local_proj").t());
    const Tensor patches = normalized(at::matmul(mapped, clip().vision.weights.projection));
    std::vector<Tensor> result;
    for (std::int64_t m = 0; m < options_.local_prompts; ++m) {
      const std::int64_t k =
          std::min(options_.patches + m * options_.patches_step, patches.size(1));
      const Tensor& own = texts[static_cast<std::size_t>(options_.global_prompts + m)];
      const Tensor cosines = at::matmul(patches, own.t());
      result.push_back(std::get<0>(cosines.topk(k, 1)).mean(1));
    }
    return result;
  }

  Tensor global_loss(const Batch& batch, const std::vector<Tensor>& texts) const {
    std::vector<Tensor> logits;
    for (std::int64_t m = 0; m < options_.global_prompts; ++m) {
      logits.push_back(scaled_logits(clip(), batch.features, texts[static_cast<std::size_t>(m)]));
    }
    const Tensor all = at::stack(logits, 1);  // [n, prompts, names]
    const Tensor kept =
        kept_prompts(all.size(0), all.size(1), options_.dropout, task_.seed, batch.step)
            .to(all.device());
    const Tensor chosen =
        all.gather(1, kept.unsqueeze(2).expand({-1, -1, all.size(2)})).flatten(0, 1);
    return cross_entropy(chosen, batch.labels.unsqueeze(1).expand_as(kept).flatten());
  }

  Tensor mean_global(const Tensor& features, const std::vector<Tensor>& texts) const {
    std::vector<Tensor> cosines;
    for (std::int64_t m = 0; m < options_.global_prompts; ++m) {
      cosines.push_back(at::matmul(features, texts[static_cast<std::size_t>(m)].t()));
    }
    return at::stack(cosines).mean(0);
  }

  // Cosines without scale, of base names: of the whole image and of its patches.
  Tensor mcm(const Tensor& global, const Tensor& local, const NameColumns& view) const {
    const NameColumns base{.base = view.base, .new_names = {}, .detected = view.detected};
    const Tensor r = largest_base_probability(global, base);
    return options_.score == "gl_mcm" ? r + largest_base_probability(local, base) : r;
  }

  GallopOptions options_;
  PromptPool pool_;
  Stage stage_;
  PromptShape shape_;
  std::unique_ptr<ContextPrompts> base_;
};

}  // namespace

Tensor kept_prompts(std::int64_t images, std::int64_t prompts, double dropout, std::uint64_t seed,
                    std::int64_t step) {
  const std::int64_t kept =
      prompts - static_cast<std::int64_t>(dropout * static_cast<double>(prompts));
  Random random(mix64(seed ^ kDropoutStream), static_cast<std::uint64_t>(step));
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < images * kept; ++i) {
    indices.push_back(kept == prompts ? i % prompts
                                      : static_cast<std::int64_t>(
                                            random.below(static_cast<std::uint64_t>(prompts))));
  }
  return index_tensor(indices).reshape({images, kept});
}

GallopOptions::GallopOptions() {
  tokens = 4;
  init = "auto";
  epochs = 200;
  schedule = "cosine";
  weight_decay = 1e-2;
}

void GallopOptions::declare(OptionList& list) {
  list.add("global_prompts", global_prompts, 1, 1024, "contexts for the whole image");
  list.add("local_prompts", local_prompts, 1, 1024, "contexts for its patches");
  list.add("patches", patches, 1, 1 << 20,
           "k of the first local prompt; all patches, if there are fewer");
  list.add("patches_step", patches_step, 0, 1 << 20,
           "by which k grows from one local prompt to the next");
  list.add("dropout", dropout, 0, 0.999, "share of the global prompts that an image leaves out");
  list.add("score", score, {"msp", "mcm", "gl_mcm"},
           "r: MSP, the largest base probability among all names; or MCM, among base names of "
           "cosines without temperature; or GL-MCM, that of the image and of its patches");
  PromptOptions::declare(list);
}

std::unique_ptr<Learner> GallopOptions::make(const TuningTask& task) const {
  return std::make_unique<Gallop>(task, *this);
}

}  // namespace openworld
