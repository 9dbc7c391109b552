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
      : Learner(task), ensemble_(options.ensemble) {
    templates_of(task.sentences);
  }

  std::vector<Stage> stages() const override { return {}; }

  Tensor loss(std::size_t, const Batch&) override {
    fail("zero-shot", "there is nothing to train");
  }

  ViewScorer view_scorer(const std::vector<NameList>& lists) override {
    const auto choose = [this](const Sentences& sentences) { return templates_of(sentences); };
    return text_scorer(clip(), sentence_features(task_.text_model, NameTable(task_, lists), choose,
                                                 ensemble_ == "logits"));
  }

 private:
  std::vector<std::string> templates_of(const Sentences& sentences) const {
    const std::vector<std::string>& templates = sentences.templates;
    if (ensemble_ == "none" && templates.size() > 1) {
      fail("prompts", fmt::format("there are {} templates; expected one, or option ensemble to be "
                                  "features or logits",
                                  templates.size()));
    }
    if (ensemble_ == "none" || templates.size() > 1) return templates;
    std::vector<std::string> several = sentences.ensemble;
    // CoOp adds the dataset's own sentence to the ensemble of features.
    if (ensemble_ == "features") several.push_back(templates[0]);
    return several;
  }

  std::string ensemble_;
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
