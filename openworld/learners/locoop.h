#pragma once

// LoCoOp (Miyai et al., "LoCoOp: Few-Shot Out-of-Distribution Detection via Prompt Learning",
// NeurIPS 2023): cross-entropy - lambda H, where H is the mean entropy of the patches that do not
// show the class: those whose `top` most likely classes do not hold the image's.

#include "openworld/learners/context_learner.h"

namespace openworld {

struct LocoopOptions : ContextOptions {
  double lambda = 0.25;
  std::int64_t top = 0;
  std::string score = "msp";

  void declare(OptionList& list) override;
  std::unique_ptr<Learner> make(const TuningTask& task) const override;
};

}  // namespace openworld
