#pragma once

// DeCoOp (Zhou et al., "DeCoOp: Robust Prompt Tuning with Out-of-Distribution Detection", ICML
// 2024), as released.
//
// 1. K detectors learn to tell their pseudo-base classes apart, and to be less sure (by `margin` of
//    entropy) about images of pseudo-new ones. q_k is the largest probability of a detector's
//    columns among all names; tau is the least of their Otsu thresholds on the training images.
// 2. K classifiers learn all base names where q_k >= tau, and stay with the zero-shot ensemble
//    elsewhere.
//
// Scoring: r = max_k q_k. Logits are the mean over k of the classifiers with q_k >= tau, the others
// counting as zeros, or, where no detector is sure, those of the zero-shot ensemble. Where a batch
// has no pseudo-new image for a detector, its margin is left out: the released code divides by
// zero.

#include "openworld/learners/training_options.h"

namespace openworld {

struct DecoopOptions : TrainingOptions {
  std::int64_t partitions = 3;
  std::int64_t detector_tokens = 16;
  std::int64_t classifier_tokens = 16;
  std::string init = "";
  std::string margin = "0.4";
  std::int64_t classifier_epochs = 0;
  std::string classifier_schedule = "cosine_step";

  DecoopOptions();
  void declare(OptionList& list) override;
  std::unique_ptr<Learner> make(const TuningTask& task) const override;
};

}  // namespace openworld
