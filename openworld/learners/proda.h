#pragma once

// ProDA (Lu et al., "Prompt Distribution Learning", CVPR 2022): many contexts, whose text features
// are taken as Gaussian with the mean and covariance of those of a step; the loss bounds the
// expected cross-entropy. There is no official code; docs/learners/proda.md says which choices are
// ours.
//
//   mu_c = mean over k of w_ck,   d = w - mu,   f a normalised image feature
//   sigma_c = sum over k, j of f_j^2 (d_ykj - d_ckj)^2 / divisor
//   loss = CE(s <f, mu_c> + s^2 / 2 sigma_c) + lambda mean over k != l of |<u_k, u_l>|
//
// where u_k are features of the contexts without a name.

#include "openworld/learners/training_options.h"

namespace openworld {

struct ProdaOptions : PromptOptions {
  std::int64_t prompts = 32;
  std::int64_t prompt_batch = 4;
  double lambda = 0.1;
  std::string divisor = "ports";

  ProdaOptions();
  void declare(OptionList& list) override;
  std::unique_ptr<Learner> make(const TuningTask& task) const override;
};

// The contexts of step `step`: those of an order that is drawn anew whenever all have had their
// turn. REQUIRES: count divides prompts.
std::vector<std::int64_t> contexts_of_step(std::int64_t prompts, std::int64_t count,
                                           std::uint64_t seed, std::int64_t step);

}  // namespace openworld
