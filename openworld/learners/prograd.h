#pragma once

// ProGrad (Zhu et al., "Prompt-aligned Gradient for Prompt Tuning", ICCV 2023): where the gradient
// g of the cross-entropy opposes the gradient q of agreeing with the zero-shot model, that part of
// it is taken away: g - lambda <g, q> q / |q|^2. What they call KL is a cross-entropy with the
// zero-shot probabilities; the gradient is the same.

#include "openworld/learners/context_learner.h"

namespace openworld {

struct ProgradOptions : ContextOptions {
  double lambda = 1;
  double temperature = 1;

  ProgradOptions();
  void declare(OptionList& list) override;
  std::unique_ptr<Learner> make(const TuningTask& task) const override;
};

}  // namespace openworld
