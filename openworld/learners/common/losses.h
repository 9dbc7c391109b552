#pragma once

// Losses and scores on logits that several learners share. All are differentiable in torch's way
// and take rows as samples, columns as classes.

#include <ATen/core/Tensor.h>

namespace openworld {

// Mean of -log softmax(logits)[label] over the rows.
at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& labels);

// Entropy of softmax(logits), per row. `inside` is added to the probability in the logarithm.
at::Tensor entropy(const at::Tensor& logits, double inside = 0);

// softmax(logits)[label], per row.
at::Tensor label_probability(const at::Tensor& logits, const at::Tensor& labels);

// The mean over all pairs (i, j) of weight_a[i] weight_b[j] (1 - (a[i] - b[j]))^2, without visiting
// them: with c = 1 - a, the sum is S(w c^2) S(v) + 2 S(w c) S(v b) + S(w) S(v b^2), six moments.
// GMoP's gated surrogate of OpenworldAUC (Hua et al., ICML 2025). REQUIRES: neither side is empty.
at::Tensor gated_pair_loss(const at::Tensor& a, const at::Tensor& b, const at::Tensor& weight_a,
                           const at::Tensor& weight_b);

}  // namespace openworld
