#pragma once

// The head of methods that learn a weight vector for each class, without bias, as the published
// networks have it: logits = features weight^T.

#include "openworld/osr/head.h"

namespace openworld {

class LinearHead : public OsrHead {
 public:
  // weight [classes, width], uniform on +-1 / sqrt(width), as torch.nn.Linear starts.
  LinearHead(const HeadShape& shape, std::uint64_t seed);

  at::Tensor logits(const at::Tensor& features) const override;

 protected:
  const at::Tensor& weight() const { return parameters_.at(kWeight); }

  static constexpr const char* kWeight = "fc.weight";
};

}  // namespace openworld
