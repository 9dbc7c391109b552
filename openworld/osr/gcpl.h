#pragma once

// GCPL (Yang et al., "Robust Classification with Convolutional Prototype Learning", CVPR 2018):
// logits are -D, and features are drawn to the centre of their class.
//
//   loss = CE(-D / temperature) + center_weight * mean((x - p_label)^2) / 2

#include "openworld/osr/method.h"

namespace openworld {

struct GcplOptions : OsrOptions {
  double center_weight = 0.1;

  void declare(OptionList& list) override;
  std::unique_ptr<OsrHead> make(const HeadShape& shape, std::uint64_t seed) const override;
};

}  // namespace openworld
