#pragma once

// DePT (Zhang et al., "DePT: Decoupled Prompt Tuning", CVPR 2024): beside the cosines of KgCoOp,
// CoOp or CoCoOp, a linear head for the base classes on features whose channels are scaled and
// shifted, so that what is specific to base classes need not go into the prompt.
//
//   loss = (1 - head) CE(cosines) + head CE(head on texts of the labels and on images)
//        + weight (1 - mean over classes of cos(g_c, t_c))     the last for KgCoOp alone
//
// Base classes are scored by the same mixture, new ones by cosines.

#include "openworld/learners/training_options.h"

namespace openworld {

struct DeptOptions : PromptOptions {
  std::string on = "kgcoop";
  double head = 0.7;
  double weight = 2;
  double head_lr = 6.5;
  std::int64_t hidden = 0;
  std::string score = "fused";

  DeptOptions();
  void declare(OptionList& list) override;
  std::unique_ptr<Learner> make(const TuningTask& task) const override;
};

}  // namespace openworld
