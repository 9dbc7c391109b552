#pragma once

// CoCoOp (Zhou et al., "Conditional Prompt Learning for Vision-Language Models", CVPR 2022): a
// small net shifts the context by what it makes of the image's feature, so that every image has
// prompts of its own. Cross-entropy.

#include "openworld/learners/training_options.h"

namespace openworld {

struct CocoopOptions : PromptOptions {
  std::string position = "end";
  std::int64_t hidden = 0;

  CocoopOptions();
  void declare(OptionList& list) override;
  std::unique_ptr<Learner> make(const TuningTask& task) const override;
};

}  // namespace openworld
