#include "openworld/osr/array_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cassert>

#include "openworld/osr/loss.h"

namespace openworld {
namespace {

using at::Tensor;

template <class Value>
Tensor tensor_of(const std::vector<std::int64_t>& shape, const std::vector<Value>& values,
                 at::ScalarType type) {
  Tensor tensor = at::empty(shape, type);
  assert(tensor.numel() == static_cast<std::int64_t>(values.size()));
  std::ranges::copy(values, tensor.data_ptr<Value>());
  return tensor;
}

Tensor tensor_of(const DoubleArray& array) {
  return tensor_of(array.shape, array.values, at::kDouble);
}

DoubleArray array_of(const Tensor& tensor) {
  const Tensor values = tensor.contiguous();
  const double* first = values.data_ptr<double>();
  return {values.sizes().vec(), std::vector<double>(first, first + values.numel())};
}

}  // namespace

ArrayLoss array_loss(std::string_view method, const std::vector<std::string>& options,
                     const ArrayLossInput& input) {
  OsrLossInput tensors{.features = tensor_of(input.features),
                       .labels = tensor_of(input.label_shape, input.labels, at::kLong),
                       .mix = {.order = input.mix_order, .share = input.mix_share}};
  for (const auto& [name, values] : input.parameters) tensors.parameters[name] = tensor_of(values);
  if (input.generated) tensors.generated = tensor_of(*input.generated);
  const OsrLoss loss = osr_loss(method, options, tensors);
  ArrayLoss result{.loss = loss.loss,
                   .gradients = {},
                   .logits = array_of(loss.logits),
                   .scores = array_of(loss.scores)};
  for (const auto& [name, gradient] : loss.gradients) {
    result.gradients.emplace(name, array_of(gradient));
  }
  return result;
}

}  // namespace openworld
