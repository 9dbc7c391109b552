#include "openworld/learners/common/meta_net.h"

#include <ATen/ops/relu.h>

#include "openworld/learners/common/initial_values.h"
#include "openworld/vlm/activation.h"
#include "openworld/vlm/block.h"

namespace openworld {

using at::Tensor;

NamedTensors meta_net_values(std::int64_t inputs, std::int64_t hidden, std::int64_t outputs,
                             std::uint64_t seed, std::uint64_t stream) {
  const LinearValues first = linear_values(inputs, hidden, seed, stream);
  const LinearValues second = linear_values(hidden, outputs, seed, stream + 1);
  return {{"linear1.weight", first.weight},
          {"linear1.bias", first.bias},
          {"linear2.weight", second.weight},
          {"linear2.bias", second.bias}};
}

Tensor meta_net(const NamedTensors& parameters, const Tensor& x, MetaActivation activation) {
  const auto layer = [&](const std::string& name) {
    return Affine{parameters.at("meta_net." + name + ".weight"),
                  parameters.at("meta_net." + name + ".bias")};
  };
  const Tensor inner = linear(x, layer("linear1"));
  return linear(activation == MetaActivation::kRelu ? at::relu(inner)
                                                    : activate(inner, Activation::kQuickGelu),
                layer("linear2"));
}

}  // namespace openworld
