#pragma once

// RPL (Chen et al., "Learning Open Set Network with Discriminative Reciprocal Points", ECCV 2020):
// a point for each class of what is not the class; logits are D, and the distance to the own point
// is drawn to a learned radius R, one for all classes.
//
//   loss = CE(D / temperature) + center_weight * mean((|x - p_label|^2 / width - R)^2)

#include "openworld/osr/method.h"

namespace openworld {

struct RplOptions : OsrOptions {
  double center_weight = 0.1;

  void declare(OptionList& list) override;
  std::unique_ptr<OsrHead> make(const HeadShape& shape, std::uint64_t seed) const override;
};

}  // namespace openworld
