#pragma once

// Attention of the rows of images, for towers with learned rows: nothing is copied and no weights
// are kept.
//
// A head of an image at a time. Its rows are columns of the operands, which BLAS takes where they
// are, and its weights, 160 KB at the size of ViT-B/16, stay in the second cache. The backward pass
// computes them again (Dao et al., 2022): 2 % more multiplications, and a quarter less memory than
// with weights of all heads.

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace openworld {

// softmax(q k' / sqrt(d / heads)) v per head, every query seeing all rows of its image; [images,
// queries, d]. `query` is [images, queries, d] and `kv` [images, rows, 2 d] with columns k, v.
// Differentiable in both. REQUIRES: on the CPU, rows of adjacent numbers.
at::Tensor vision_attention(const at::Tensor& query, const at::Tensor& kv, std::int64_t heads);

}  // namespace openworld
