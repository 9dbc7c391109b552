#include "openworld/learners/common/losses.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/softmax.h>

namespace openworld {

using at::Tensor;

Tensor cross_entropy(const Tensor& logits, const Tensor& labels) {
  return -at::log_softmax(logits, 1).gather(1, labels.unsqueeze(1)).mean();
}

Tensor entropy(const Tensor& logits, double inside) {
  const Tensor log = at::log_softmax(logits, 1);
  const Tensor p = log.exp();
  return -(p * (inside == 0 ? log : (p + inside).log())).sum(1);
}

Tensor label_probability(const Tensor& logits, const Tensor& labels) {
  return at::softmax(logits, 1).gather(1, labels.unsqueeze(1)).squeeze(1);
}

Tensor gated_pair_loss(const Tensor& a, const Tensor& b, const Tensor& weight_a,
                       const Tensor& weight_b) {
  const Tensor c = 1 - a;
  const Tensor wc = weight_a * c, vb = weight_b * b;
  const Tensor sum =
      (wc * c).sum() * weight_b.sum() + 2 * wc.sum() * vb.sum() + weight_a.sum() * (vb * b).sum();
  return sum / static_cast<double>(a.numel() * b.numel());
}

}  // namespace openworld
