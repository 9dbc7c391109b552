#pragma once

// RPO (Lee et al., "Read-only Prompt Optimization for Vision-Language Few-shot Learning", ICCV
// 2023): K rows in each tower that see all others and that no row sees, so that they read the
// frozen model without changing it. The logit of a class is s times the mean over k of cos(f_k,
// g_k). Cross-entropy.

#include "openworld/learners/training_options.h"

namespace openworld {

struct RpoOptions : TrainingOptions {
  std::int64_t tokens = 24;
  double noise = 0.1;
  std::string sentence = "plain";

  RpoOptions();
  void declare(OptionList& list) override;
  std::unique_ptr<Learner> make(const TuningTask& task) const override;
};

}  // namespace openworld
