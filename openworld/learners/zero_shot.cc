#include "openworld/learners/zero_shot.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include "openworld/base/error.h"
#include "openworld/learners/text_classifier.h"

namespace openworld {
namespace {

using at::Tensor;

class ZeroShot : public Learner {
 public:
  ZeroShot(const TuningTask& task, const ZeroShotOptions& options)
      : task_(task), logits_(options.ensemble == "logits"), templates_(task.templates) {
    const bool ensemble = options.ensemble != "none";
    if (!ensemble && templates_.size() > 1) {
      fail("prompts", fmt::format("there are {} templates; expected one, or option ensemble to be "
                                  "features or logits",
                                  templates_.size()));
    }
    if (ensemble && templates_.size() == 1) {
      templates_ = task.ensemble;
      // CoOp adds the dataset's own sentence to the ensemble of features.
      if (!logits_) templates_.push_back(task.templates[0]);
    }
  }

  std::vector<Stage> stages() const override { return {}; }

  Tensor loss(std::size_t, const Batch&) override {
    fail("zero-shot", "there is nothing to train");
  }

  Scorer scorer(const std::vector<std::string>& new_names) override {
    const Tensor texts =
        sentence_features(task_.text_model, all_names(task_, new_names), templates_, logits_);
    return [this, texts](const ScoredImages& images) {
      return msp_scores(*task_.text_model.clip, images.features, texts,
                        static_cast<std::int64_t>(task_.base_names.size()));
    };
  }

 private:
  TuningTask task_;
  bool logits_;
  std::vector<std::string> templates_;
};

}  // namespace

void ZeroShotOptions::declare(OptionList& list) {
  list.add("ensemble", ensemble, {"none", "features", "logits"},
           "one sentence; or several, whose features (CoOp) or logits (DeCoOp, GMoP) are averaged");
}

std::unique_ptr<Learner> ZeroShotOptions::make(const TuningTask& task) const {
  return std::make_unique<ZeroShot>(task, *this);
}

}  // namespace openworld
