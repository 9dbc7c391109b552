#pragma once

// The head of methods that learn a point for each class: a centre of its features (GCPL), or of
// what it is not (reciprocal points: RPL, ARPL).
//
//   D[i, c] = |x_i - p_c|^2 / width

#include "openworld/osr/head.h"

namespace openworld {

class CenterHead : public OsrHead {
 public:
  // centers [classes, width], N(0, 0.1^2); radius [1], 0, if the method has one.
  CenterHead(const HeadShape& shape, std::uint64_t seed, bool has_radius);

 protected:
  const at::Tensor& centers() const { return parameters_.at("centers"); }
  const at::Tensor& radius() const { return parameters_.at("radius"); }

  // [n, classes], by products of matrices.
  at::Tensor distances(const at::Tensor& features) const;
  // |x_i - p_label|^2 / width, [n].
  at::Tensor own_distances(const at::Tensor& features, const at::Tensor& labels) const;
};

}  // namespace openworld
