#include "openworld/learners/locoop.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include <algorithm>

#include "openworld/base/error.h"
#include "openworld/learners/common/largest_probability.h"
#include "openworld/learners/common/losses.h"
#include "openworld/vlm/row_products.h"

namespace openworld {
namespace {

using at::Tensor;

constexpr double kInsideLog = 1e-5;  // as the released code has it

class Locoop : public ContextLearner {
 public:
  Locoop(const TuningTask& task, const LocoopOptions& options)
      : ContextLearner(task, options), lambda_(options.lambda), score_(options.score) {
    const auto classes = static_cast<std::int64_t>(task.base_names.size());
    top_ = options.top > 0 ? options.top : std::max<std::int64_t>(1, classes / 5);
    if (top_ >= classes) {
      fail("prompts", fmt::format("option top is {}, with {} base classes; expected fewer than "
                                  "there are",
                                  top_, classes));
    }
  }

  ImageInput scored_input() const override {
    return score_ == "gl_mcm" ? ImageInput::kPatches : ImageInput::kFeatures;
  }

  ViewScorer view_scorer(const std::vector<NameList>& lists) override {
    if (score_ == "msp") return ContextLearner::view_scorer(lists);
    return [this, texts = name_features(lists)](const ScoredImages& images,
                                                std::span<const NameColumns> views) {
      std::vector<Scores> scores = msp_scores(scaled_logits(clip(), images.features, texts), views);
      for (std::size_t v = 0; v < views.size(); ++v) scores[v].r = mcm(images, texts, views[v]);
      return scores;
    };
  }

 protected:
  Tensor loss_of(const Batch& batch, const Tensor& texts, const Tensor& logits) const override {
    const Tensor own = cross_entropy(logits, batch.labels);
    const Tensor local = scaled_logits(clip(), batch.local.flatten(0, 1), texts);
    const Tensor labels =
        batch.labels.unsqueeze(1).expand({-1, batch.local.size(1)}).reshape({-1, 1});
    // Whether the label is among the largest: no more than top - 1 classes are ahead of it.
    const Tensor values = local.detach();
    const Tensor label_value = values.gather(1, labels);
    const Tensor ahead = (values > label_value).sum(1);
    const Tensor elsewhere = (ahead >= top_).nonzero().squeeze(1);
    if (elsewhere.numel() == 0) return own;
    return own - lambda_ * entropy(local.index_select(0, elsewhere), kInsideLog).mean();
  }

 private:
  // Ming et al., NeurIPS 2022: the largest probability among known names, of cosines as they are.
  // Miyai et al., IJCV 2025: and the largest of any patch.
  Tensor mcm(const ScoredImages& images, const Tensor& texts, const NameColumns& view) const {
    if (view.detected.empty()) return at::zeros({images.features.size(0)}, texts.options());
    const Tensor names = columns_of(texts.t(), view.detected);
    const std::int64_t known = names.size(1);
    Tensor r = largest_probability(row_products(images.features, names), known);
    if (scored_input() == ImageInput::kPatches) {
      const Tensor of_patches = row_products(images.local, names).flatten(0, 1);
      r += largest_probability(of_patches, known).view({r.size(0), -1}).amax(1);
    }
    return r;
  }

  double lambda_;
  std::int64_t top_ = 1;
  std::string score_;
};

}  // namespace

void LocoopOptions::declare(OptionList& list) {
  list.add("lambda", lambda, 0, 1e6, "weight of the patches' entropy");
  list.add("top", top, 0, 1 << 20,
           "classes in which a patch that shows the class has it; 0: a fifth of the base classes");
  list.add(
      "score", score, {"msp", "mcm", "gl_mcm"},
      "r: MSP, the largest base probability among all names; or MCM, among base names of cosines "
      "without temperature; or GL-MCM, that and the largest of any patch",
      {{"ordinary", "msp"}});
  ContextOptions::declare(list);
}

std::unique_ptr<Learner> LocoopOptions::make(const TuningTask& task) const {
  return std::make_unique<Locoop>(task, *this);
}

}  // namespace openworld
