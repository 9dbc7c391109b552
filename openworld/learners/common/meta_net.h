#pragma once

// A net of two linear layers that makes rows of a prompt from a feature: of the image (CoCoOp) or
// of the class (TCP).

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "openworld/vlm/tensor_state.h"

namespace openworld {

// Its first values, as torch.nn.Linear starts: linear1.weight [hidden, inputs], linear1.bias,
// linear2.weight [outputs, hidden], linear2.bias.
NamedTensors meta_net_values(std::int64_t inputs, std::int64_t hidden, std::int64_t outputs,
                             std::uint64_t seed, std::uint64_t stream);

enum class MetaActivation { kRelu, kQuickGelu };

// linear2(activation(linear1(x))) with the tensors "meta_net.linear1.weight", ... of `parameters`.
at::Tensor meta_net(const NamedTensors& parameters, const at::Tensor& x, MetaActivation activation);

}  // namespace openworld
