#pragma once

// The transformer block that both towers are made of:
// x += attention(LN1(x)), then x += W2 act(W1 LN2(x) + b1) + b2.
//
// The towers differ in who attends to whom, so attention itself is theirs; what is around it is
// here.

#include <ATen/core/Tensor.h>

#include "openworld/checkpoint/clip_config.h"

namespace openworld {

// y = x * weight' + bias for Linear, weight and bias of a LayerNorm for norms.
struct Affine {
  at::Tensor weight;
  at::Tensor bias;
};

struct BlockWeights {
  Affine ln_1;
  Affine qkv;  // [3 d, d], rows in the order q, k, v
  Affine out;
  Affine ln_2;
  Affine fc;
  Affine proj;
};

at::Tensor linear(const at::Tensor& x, const Affine& layer);

// The layer that gives outputs [begin, begin + count) alone: the queries of `qkv`, or its keys and
// values.
Affine outputs_of(const Affine& layer, std::int64_t begin, std::int64_t count);

at::Tensor layer_norm(const at::Tensor& x, const Affine& norm, double eps);

// x + W2 act(W1 LN2(x) + b1) + b2
at::Tensor feed_forward(const at::Tensor& x, const BlockWeights& block, const ClipConfig& config);

}  // namespace openworld
