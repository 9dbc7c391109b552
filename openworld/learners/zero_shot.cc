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
  ZeroShot(const Setting& setting, const ZeroShotOptions& options)
      : setting_(setting), logits_(options.ensemble == "logits"), templates_(setting.templates) {
    const bool ensemble = options.ensemble != "none";
    if (!ensemble && templates_.size() > 1) {
      fail("prompts", fmt::format("there are {} templates; expected one, or option ensemble to be "
                                  "features or logits",
                                  templates_.size()));
    }
    if (ensemble && templates_.size() == 1) {
      templates_ = setting.ensemble;
      // CoOp adds the dataset's own sentence to the ensemble of features.
      if (!logits_) templates_.push_back(setting.templates[0]);
    }
  }

  std::vector<Stage> stages() const override { return {}; }

  Tensor loss(std::size_t, const Batch&) override {
    fail("zero-shot", "there is nothing to train");
  }

  Scorer scorer(const std::vector<std::string>& new_names) override {
    const Tensor texts =
        sentence_features(setting_.language, all_names(setting_, new_names), templates_, logits_);
    return [this, texts](const ScoredImages& images) {
      return ordinary_scores(*setting_.language.clip, images.features, texts,
                             static_cast<std::int64_t>(setting_.base_names.size()));
    };
  }

 private:
  Setting setting_;
  bool logits_;
  std::vector<std::string> templates_;
};

}  // namespace

void ZeroShotOptions::declare(OptionList& list) {
  list.add("ensemble", ensemble, {"none", "features", "logits"},
           "one sentence; or several, whose features (CoOp) or logits (DeCoOp, GMoP) are averaged");
}

std::unique_ptr<Learner> ZeroShotOptions::make(const Setting& setting) const {
  return std::make_unique<ZeroShot>(setting, *this);
}

}  // namespace openworld
