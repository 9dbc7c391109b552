#pragma once

// Attention among the rows of each image, for training of small towers. An image of 32 pixels has
// 17 rows and heads of 32 columns: products so small that calling one by one costs more than
// computing them. The kernel takes an image and a head at a time, all of it in the first cache.

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace openworld {

// softmax(q k' / sqrt(d / heads)) v per head, every row seeing all rows of its image; [images,
// queries, d]. `own` is [images, rows, 3 d] with columns q, k, v; or [images, rows, 2 d] with
// columns k, v, when the queries come apart as `query` [images, queries, d]. Differentiable in
// both. Results do not depend on the number of threads.
at::Tensor image_attention(const at::Tensor& own, const at::Tensor& query, std::int64_t heads);

}  // namespace openworld
