#pragma once

// ARPL (Chen et al., "Adversarial Reciprocal Points Learning for Open Set Recognition", TPAMI
// 2021): reciprocal points p with logits D - <x, p>, and a margin that keeps the distance to the
// own point within a learned radius R.
//
//   loss = CE((D - x p^T) / temperature) + center_weight * mean(max(0, |x - p_label|^2 / width - R
//          + 1))

#include "openworld/osr/method.h"

namespace openworld {

struct ArplOptions : OsrOptions {
  double center_weight = 0.1;

  ArplOptions() { score = OsrScore::kLogit; }
  void declare(OptionList& list) override;
  std::unique_ptr<OsrHead> make(const HeadShape& shape, std::uint64_t seed) const override;

  // Of the entropy of generated samples.
  virtual double confusion_weight() const { return 0; }
};

}  // namespace openworld
