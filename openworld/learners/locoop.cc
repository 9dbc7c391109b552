#include "openworld/learners/locoop.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>
#include <fmt/format.h>

#include <algorithm>

#include "openworld/base/error.h"
#include "openworld/learners/common/losses.h"

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

  Scorer scorer(const std::vector<std::string>& new_names) override {
    if (score_ == "msp") return ContextLearner::scorer(new_names);
    return [this, texts = name_features(new_names)](const ScoredImages& images) {
      Scores scores = msp_scores(clip(), images.features, texts, base_count());
      const Tensor base_texts = texts.narrow(0, 0, base_count());
      // Ming et al., NeurIPS 2022: the largest probability among known names, of cosines as they
      // are. Miyai et al., IJCV 2025: and the largest of any patch.
      scores.r = at::softmax(at::matmul(images.features, base_texts.t()), 1).amax(1);
      if (scored_input() == ImageInput::kPatches) {
        scores.r += at::softmax(at::matmul(images.local, base_texts.t()), 2).amax({1, 2});
      }
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
