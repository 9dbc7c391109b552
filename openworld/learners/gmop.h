#pragma once

// GMoP (Hua et al., "OpenworldAUC: Towards Unified Evaluation and Optimization for Open-world
// Prompt Tuning", ICML 2025): a gated mixture of prompts that follows OpenworldAUC itself.
//
// K detectors (as DeCoOp's), a base classifier g, and a new classifier h, zero-shot by default, are
// tuned together on
//
//   CE(g) + alpha mean_k CE(detector k on its pseudo-base images)
//         + lambda mean_k mean_{i pseudo-base, j pseudo-new} gate_i gate'_j (1 - (rho_i - rho_j))^2
//
// with rho the largest probability of detector k among its own columns. The gates ask whether g
// would be right on i and h on j: sigmoid of the probability of the true class, as released; of its
// logit, as the paper writes; or 0-1, or none. Only g's gate passes a gradient, unless detached.
// The pairs cost linear time (common/losses.h). A detector with no image on one side of a batch is
// left out of it.
//
// Scoring: r is the largest probability of any detector's columns among all names, g names base
// classes, h new ones.
//
// The paper's lambda is alpha here, as in the released code. `single` and `new=trained` are the
// ablations of its figure 13: one prompt for all roles; and h tuned by cross-entropy on the base
// classes as g is.

#include "openworld/learners/training_options.h"

namespace openworld {

struct GmopOptions : TrainingOptions {
  std::int64_t partitions = 3;
  std::string gate = "sigmoid";
  bool detach = false;
  double alpha = 0.5;
  double lambda = 1;
  std::int64_t detector_tokens = 16;
  std::int64_t classifier_tokens = 4;
  std::string init = "";
  std::string new_classifier = "zero_shot";
  bool single = false;
  std::string zero_shot = "single";

  GmopOptions();
  void declare(OptionList& list) override;
  std::unique_ptr<Learner> make(const TuningTask& task) const override;
};

}  // namespace openworld
