#include "openworld/pretrain/contrastive.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/matmul.h>

#include <algorithm>
#include <cassert>

#include "openworld/base/error.h"
#include "openworld/vlm/clip.h"

namespace openworld {
namespace {

using at::Tensor;

// [rows, columns]: what each row should give to each column; rows sum to 1.
Tensor targets(std::span<const std::uint64_t> rows, std::span<const std::uint64_t> columns,
               const ContrastiveOptions& options, const at::Device& device) {
  const auto n = static_cast<std::int64_t>(rows.size());
  const auto m = static_cast<std::int64_t>(columns.size());
  Tensor result = at::empty({n, m}, at::kFloat);
  float* to = result.data_ptr<float>();
  for (std::size_t i = 0; i < rows.size(); ++i, to += m) {
    std::size_t same = 0;
    for (const std::uint64_t other : columns) same += other == rows[i] ? 1 : 0;
    const double sharp = 1 - options.smoothing;
    for (std::size_t j = 0; j < columns.size(); ++j) {
      double value = options.smoothing / static_cast<double>(m);
      if (columns[j] == rows[i]) value += sharp * options.shared / static_cast<double>(same);
      if (i == j) value += sharp * (1 - options.shared);
      to[j] = static_cast<float>(value);
    }
  }
  return result.to(device);
}

Tensor scaled_cosines(const Tensor& a, const Tensor& b, const Tensor& logit_scale) {
  return at::matmul(normalized(a), normalized(b).t()) * logit_scale.exp();
}

Tensor cross_entropy(const Tensor& scores, const Tensor& target) {
  return -(target * at::log_softmax(scores, 1)).sum() / static_cast<double>(scores.size(0));
}

// Share of the rows whose largest column has their concept.
double share_right(const Tensor& scores, std::span<const std::uint64_t> rows,
                   std::span<const std::uint64_t> columns) {
  const Tensor best = scores.detach().argmax(1).to(at::kCPU);
  std::size_t right = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto j = static_cast<std::size_t>(best.data_ptr<std::int64_t>()[i]);
    right += columns[j] == rows[i] ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(rows.size());
}

}  // namespace

ContrastiveLoss contrastive_loss(const Tensor& images, const Tensor& captions,
                                 const Tensor& logit_scale,
                                 std::span<const std::uint64_t> image_concepts,
                                 std::span<const std::uint64_t> caption_concepts,
                                 const ContrastiveOptions& options) {
  const auto n = static_cast<std::int64_t>(image_concepts.size());
  assert(images.size(0) == n && caption_concepts.size() >= image_concepts.size());
  assert(captions.size(0) == static_cast<std::int64_t>(caption_concepts.size()));
  const Tensor logits = scaled_cosines(images, captions, logit_scale);
  const at::Device device = logits.device();
  const Tensor forth =
      cross_entropy(logits, targets(image_concepts, caption_concepts, options, device));
  const auto paired = caption_concepts.first(image_concepts.size());
  const Tensor back =
      cross_entropy(logits.narrow(1, 0, n).t(), targets(paired, image_concepts, options, device));
  return {(forth + back) / 2, share_right(logits, image_concepts, caption_concepts)};
}

ContrastiveLoss naming_loss(const Tensor& images, const Tensor& names, const Tensor& logit_scale,
                            std::span<const std::uint64_t> image_concepts,
                            std::span<const std::uint64_t> name_concepts, double smoothing) {
  for (const std::uint64_t meaning : image_concepts) {
    if (std::find(name_concepts.begin(), name_concepts.end(), meaning) == name_concepts.end()) {
      fail("naming_loss", "an image has a concept that is not on the list of names");
    }
  }
  const Tensor logits = scaled_cosines(images, names, logit_scale);
  const Tensor target = targets(image_concepts, name_concepts, {1, smoothing}, logits.device());
  return {cross_entropy(logits, target), share_right(logits, image_concepts, name_concepts)};
}

}  // namespace openworld
