#pragma once

// MaPLe (Khattak et al., "MaPLe: Multi-modal Prompt Learning", CVPR 2023): rows in the text tower,
// at the input and in place of states of later blocks, and, in the vision tower, what linear maps
// make of them. Cross-entropy.

#include "openworld/learners/training_options.h"

namespace openworld {

struct MapleOptions : PromptOptions {
  std::int64_t depth = 0;

  MapleOptions();
  void declare(OptionList& list) override;
  std::unique_ptr<Learner> make(const TuningTask& task) const override;
};

}  // namespace openworld
