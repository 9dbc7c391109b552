#pragma once

// OpenAUC (Wang et al., "OpenAUC: Towards AUC-Oriented Open-Set Recognition", NeurIPS 2022): the
// cross-entropy of CE+, and a square surrogate of OpenAUC over pairs of a real sample and a mixture
// of two features that stands for an open one.
//
// With pairs=halves, as the released code has it: a batch of even size is a first half F and a
// second half S; of S and a permutation S' of it the mixtures are v_i = share S_i + (1 - share)
// S'_i, with share ~ Beta(mix_alpha, mix_alpha), one for the batch. With M = largest logit,
//
//   open = sum_i hit_i (1 + M(v_i) - M(F_i))^2 / sum_i hit_i
//   hit_i = [F_i is classified rightly] [label(S_i) != label(S'_i)]
//   loss = CE + open_weight * open
//
// The square has no bound: M is a product of learned features and learned weights, so that the loss
// is of the fourth degree in what is learned, and a learning rate that cross-entropy bears can let
// it run away, in the released code's recipe as well. Small batches, with few hits each, do so
// first.
//
// Hits are gates without gradient; without any, and for a batch of odd size, the loss is CE alone.
// With pairs=shuffled, as the appendix describes it, F = S = the whole batch.

#include "openworld/osr/method.h"

namespace openworld {

enum class MixPairs { kHalves, kShuffled };

struct OpenAucOptions : OsrOptions {
  double open_weight = 0.1;
  double mix_alpha = 2;
  MixPairs pairs = MixPairs::kHalves;
  bool only_right = true;
  bool only_other_class = true;

  OpenAucOptions() { use_strong_recipe(); }
  void declare(OptionList& list) override;
  std::unique_ptr<OsrHead> make(const HeadShape& shape, std::uint64_t seed) const override;
  std::string against_divergence() const override;
};

// Of Beta(alpha, alpha). REQUIRES: alpha > 0.
double symmetric_beta(double alpha, Random& random);

}  // namespace openworld
