#pragma once

// VPT on CLIP (Jia et al., "Visual Prompt Tuning", ECCV 2022; as released with MaPLe): learned rows
// beside the patches, at the input of the vision tower and, deep, of its later blocks. Texts are
// those of one sentence. Cross-entropy.

#include "openworld/learners/training_options.h"

namespace openworld {

struct VptOptions : TrainingOptions {
  std::int64_t tokens = 8;
  std::int64_t depth = 0;
  std::string sentence = "plain";
  std::string start = "normal";

  VptOptions();
  void declare(OptionList& list) override;
  std::unique_ptr<Learner> make(const TuningTask& task) const override;
};

}  // namespace openworld
