#include "openworld/osr/center_head.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>

#include "openworld/learners/common/initial_values.h"
#include "openworld/osr/streams.h"

namespace openworld {

using at::Tensor;

CenterHead::CenterHead(const HeadShape& shape, std::uint64_t seed, bool has_radius) {
  // normal_values has a standard deviation of 0.02.
  add_parameter("centers", normal_values({shape.classes, shape.width}, seed,
                                         static_cast<std::uint64_t>(OsrStream::kHead)) *
                               5);
  if (has_radius) add_parameter("radius", at::zeros({1}));
}

Tensor CenterHead::distances(const Tensor& features) const {
  const Tensor squares = features.square().sum(1, true) + centers().square().sum(1);
  return (squares - 2 * features.matmul(centers().t())) / static_cast<double>(features.size(1));
}

Tensor CenterHead::own_distances(const Tensor& features, const Tensor& labels) const {
  return (features - centers().index_select(0, labels)).square().mean(1);
}

}  // namespace openworld
