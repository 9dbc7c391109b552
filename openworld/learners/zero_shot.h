#pragma once

// Zero-shot CLIP (Radford et al., "Learning Transferable Visual Models From Natural Language
// Supervision", ICML 2021) as a learner that has nothing to learn: what the others are measured
// against.

#include "openworld/learners/learner.h"

namespace openworld {

struct ZeroShotOptions : LearnerOptions {
  std::string ensemble = "none";

  void declare(OptionList& list) override;
  std::unique_ptr<Learner> make(const TuningTask& task) const override;
};

}  // namespace openworld
