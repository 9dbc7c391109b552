#include "openworld/pretrain/agreement.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/matmul.h>

#include <cassert>

#include "openworld/vlm/clip.h"

namespace openworld {

AgreementLoss agreement_loss(const at::Tensor& first, const at::Tensor& second,
                             double temperature) {
  assert(first.sizes() == second.sizes() && first.size(0) > 0 && temperature > 0);
  const at::Tensor logits = at::matmul(normalized(first), normalized(second).t()) / temperature;
  const at::Tensor forth = at::log_softmax(logits, 1).diagonal().mean();
  const at::Tensor back = at::log_softmax(logits, 0).diagonal().mean();
  const at::Tensor own = at::arange(logits.size(0), logits.options().dtype(at::kLong));
  const at::Tensor right = logits.detach().argmax(1).eq(own);
  return {-(forth + back) / 2, right.to(at::kDouble).mean().item<double>()};
}

}  // namespace openworld
