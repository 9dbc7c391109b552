#pragma once

// KgCoOp (Yao et al., "Visual-Language Prompt Tuning with Knowledge-guided Context Optimization",
// CVPR 2023): cross-entropy + weight (1 - mean over classes of cos(g_c, t_c)), where t_c are the
// features of a hand-written sentence, so that the context does not wander from what the model
// knows.

#include "openworld/learners/context_learner.h"

namespace openworld {

struct KgcoopOptions : ContextOptions {
  double weight = 8;

  KgcoopOptions();
  void declare(OptionList& list) override;
  std::unique_ptr<Learner> make(const TuningTask& task) const override;
};

}  // namespace openworld
