#include "openworld/learners/common/largest_probability.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/exp.h>

#include <bit>
#include <cmath>

namespace openworld {

using at::Tensor;

Tensor largest_probability(const Tensor& values, std::int64_t known) {
  const Tensor wide = values.detach().to(at::kDouble).contiguous();
  const Tensor top = wide.amax(1);
  // Of terms up to 1 whose sum has to fit into 63 bits: for a thousand names 2^-52.
  const auto names = static_cast<std::uint64_t>(values.size(1));
  const double unit = std::ldexp(1.0, static_cast<int>(std::bit_width(names)) - 62);
  const Tensor terms = at::exp(wide - top.unsqueeze(1));
  const Tensor sum = (terms / unit).round().to(at::kLong).sum(1).to(at::kDouble) * unit;
  const Tensor best = at::exp(wide.narrow(1, 0, known).amax(1) - top);
  return (best / sum).to(values.scalar_type());
}

}  // namespace openworld
