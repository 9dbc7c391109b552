#pragma once

// CoOp (Zhou et al., "Learning to Prompt for Vision-Language Models", IJCV 2022): cross-entropy of
// scaled cosines, with a context learned instead of "a photo of a".

#include "openworld/learners/context_learner.h"

namespace openworld {

struct CoopOptions : ContextOptions {
  CoopOptions() { epochs = 200; }
  std::unique_ptr<Learner> make(const TuningTask& task) const override;
};

}  // namespace openworld
