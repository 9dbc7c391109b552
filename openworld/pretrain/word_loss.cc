#include "openworld/pretrain/word_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/mm.h>

#include <algorithm>
#include <cassert>
#include <numeric>

namespace openworld {
namespace {

using at::Tensor;

// What one part of the rows contributes.
struct Part {
  double loss = 0, scale = 0;
  std::size_t right = 0, asked = 0;
  Tensor vectors;
};

bool is_target(std::span<const WordTarget> targets, std::int64_t word) {
  return std::ranges::any_of(targets, [&](const WordTarget& target) {
    return static_cast<std::int64_t>(target.word) == word;
  });
}

}  // namespace

void SoftTargets::add(std::span<const WordTarget> targets, double weight) {
  entries_.insert(entries_.end(), targets.begin(), targets.end());
  ends_.push_back(entries_.size());
  weights_.push_back(targets.empty() ? 0 : weight);
}

std::span<const WordTarget> SoftTargets::of(std::size_t row) const {
  const std::size_t begin = row == 0 ? 0 : ends_[row - 1];
  return std::span(entries_).subspan(begin, ends_[row] - begin);
}

double SoftTargets::total_weight() const {
  return std::accumulate(weights_.begin(), weights_.end(), 0.0);
}

WordLoss word_loss(const Tensor& features, const Tensor& vectors, double scale,
                   const SoftTargets& targets, bool wants_vectors, std::size_t parts,
                   const PartRunner& runner) {
  const auto rows = static_cast<std::size_t>(features.size(0));
  const double total = targets.total_weight();
  assert(targets.rows() == rows && total > 0);
  WordLoss result;
  result.features = at::empty(features.sizes(), features.options());
  std::vector<Part> done(parts);
  runner(parts, [&](std::size_t p) {
    const at::NoGradGuard no_grad;
    const std::size_t first = rows * p / parts, count = rows * (p + 1) / parts - first;
    if (count == 0) return;
    const auto part_of = [&](const Tensor& all) {
      return all.narrow(0, static_cast<std::int64_t>(first), static_cast<std::int64_t>(count));
    };
    Part& part = done[p];
    const Tensor own = part_of(features);
    const Tensor cosines = at::mm(own, vectors.t());
    const Tensor log_shares = at::log_softmax(cosines * scale, 1).to(at::kCPU);
    Tensor slopes = log_shares.exp();  // becomes the gradient of the logits
    const Tensor nearest = slopes.argmax(1);
    const std::int64_t words = slopes.size(1);
    for (std::size_t i = 0; i < count; ++i) {
      const auto of_row = targets.of(first + i);
      const double weight = targets.weight(first + i) / total;
      float* const slope = slopes.data_ptr<float>() + static_cast<std::int64_t>(i) * words;
      const float* const logs = log_shares.data_ptr<float>() + static_cast<std::int64_t>(i) * words;
      const auto factor = static_cast<float>(weight);
      for (std::int64_t k = 0; k < words; ++k) slope[k] *= factor;
      for (const WordTarget& target : of_row) {
        slope[target.word] -= factor * target.share;
        part.loss -= weight * target.share * logs[target.word];
      }
      if (of_row.empty()) continue;
      ++part.asked;
      part.right += is_target(of_row, nearest.data_ptr<std::int64_t>()[i]) ? 1 : 0;
    }
    slopes = slopes.to(features.device());
    part.scale = (slopes * cosines).sum().item<double>();
    slopes.mul_(scale);
    part_of(result.features).copy_(at::mm(slopes, vectors));
    if (wants_vectors) part.vectors = at::mm(slopes.t(), own);
  });
  std::size_t right = 0, asked = 0;
  for (const Part& part : done) {  // in order, so that the sums have one
    result.loss += part.loss;
    result.scale += part.scale;
    right += part.right;
    asked += part.asked;
    if (!part.vectors.defined()) continue;
    if (result.vectors.defined()) {
      result.vectors.add_(part.vectors);
    } else {
      result.vectors = part.vectors;
    }
  }
  result.accuracy =
      static_cast<double>(right) / static_cast<double>(std::max<std::size_t>(asked, 1));
  return result;
}

}  // namespace openworld
