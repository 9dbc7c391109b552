#include "openworld/osr/linear_head.h"

#include <ATen/core/Tensor.h>

#include <cmath>

#include "openworld/learners/common/initial_values.h"
#include "openworld/osr/streams.h"

namespace openworld {

LinearHead::LinearHead(const HeadShape& shape, std::uint64_t seed) {
  add_parameter(kWeight, uniform_values({shape.classes, shape.width},
                                        1 / std::sqrt(static_cast<double>(shape.width)), seed,
                                        static_cast<std::uint64_t>(OsrStream::kHead)));
}

at::Tensor LinearHead::logits(const at::Tensor& features) const {
  return features.matmul(weight().t());
}

}  // namespace openworld
