#pragma once

// Cross-entropy of a softmax over cosines with many vectors, for targets that are spread over a few
// of them:
//
//   loss = sum over rows i of w_i * (- sum over k of t_ik log softmax(scale * f_i . v)_k) / sum w_i
//
// The vectors are those of the names and words of a corpus: some thousand. The rows are features of
// images, which should be near their own names, or of texts. Rows are computed in parts side by
// side, with the gradient written out, since a graph would keep [rows, words] several times.

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "openworld/pretrain/word_table.h"

namespace openworld {

// What each row is to find; rows without targets have no part in the loss.
class SoftTargets {
 public:
  // The next row: shares that sum to 1, or none.
  void add(std::span<const WordTarget> targets, double weight);

  std::size_t rows() const { return weights_.size(); }
  std::span<const WordTarget> of(std::size_t row) const;
  double weight(std::size_t row) const { return weights_[row]; }  // 0 without targets
  double total_weight() const;

 private:
  std::vector<std::size_t> ends_;
  std::vector<WordTarget> entries_;
  std::vector<double> weights_;
};

struct WordLoss {
  double loss = 0;
  double accuracy = 0;  // share of the rows with targets whose nearest vector is one of them

  // Gradients in the features and vectors as given, normalised, and in the scale.
  at::Tensor features;
  at::Tensor vectors;  // undefined unless asked for
  double scale = 0;
};

// Calls work(i) for i in [0, n), on as many threads as it likes.
using PartRunner = std::function<void(std::size_t n, const std::function<void(std::size_t)>& work)>;

// Features [rows, e] and vectors [words, e], all of length 1 and without a graph. The result does
// not depend on the runner. REQUIRES: targets has as many rows as features; the total weight is
// above 0.
WordLoss word_loss(const at::Tensor& features, const at::Tensor& vectors, double scale,
                   const SoftTargets& targets, bool wants_vectors, std::size_t parts,
                   const PartRunner& runner);

}  // namespace openworld
