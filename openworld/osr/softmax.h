#pragma once

// Softmax: cross-entropy of the logits of a linear head over a temperature. The score of a sample
// is its largest softmax (Hendrycks and Gimpel, ICLR 2017) or, with score=logit, its largest logit.

#include "openworld/osr/method.h"

namespace openworld {

struct SoftmaxOptions : OsrOptions {
  std::unique_ptr<OsrHead> make(const HeadShape& shape, std::uint64_t seed) const override;
};

}  // namespace openworld
