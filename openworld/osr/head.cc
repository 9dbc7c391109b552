#include "openworld/osr/head.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/log_softmax.h>
#include <fmt/format.h>

#include "openworld/base/error.h"
#include "openworld/io/tensor_file.h"

namespace openworld {

using at::Tensor;

void OsrHead::add_parameter(const std::string& name, Tensor value) {
  parameters_[name] = value.set_requires_grad(true);
}

void OsrHead::set_parameter(const std::string& name, const Tensor& value) {
  const auto found = parameters_.find(name);
  if (found == parameters_.end()) fail("osr", fmt::format("the method has no {}", name));
  if (found->second.sizes() != value.sizes()) {
    fail("osr", fmt::format("{} is {}; expected {}", name, tensor_shape_text(value.sizes()),
                            tensor_shape_text(found->second.sizes())));
  }
  found->second = value.detach().clone().set_requires_grad(true);
}

MixDraw OsrHead::draw(std::int64_t, Random&) const {
  return {};
}

Tensor OsrHead::confusion(const Tensor&) const {
  return {};
}

Tensor smoothed_cross_entropy(const Tensor& logits, const Tensor& labels, double smoothing) {
  const Tensor log = at::log_softmax(logits, 1);
  const Tensor right = log.gather(1, labels.unsqueeze(1)).squeeze(1);
  if (smoothing == 0) return -right.mean();
  const double other = smoothing / static_cast<double>(logits.size(1) - 1);
  return -((1 - smoothing - other) * right + other * log.sum(1)).mean();
}

}  // namespace openworld
