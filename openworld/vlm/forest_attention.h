#pragma once

// Attention in which a row sees its ancestors in a forest, without padding, masks or copies.
//
// Linear layers do 99 % of the arithmetic of a text step (267 rows of width 512: 20 GFLOP against
// 0.15 in attention), so the kernel's task is to stay out of the way: no gathers of keys, no
// batched products of tiny matrices. Each group of queries walks its few runs of keys in place.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

#include "openworld/vlm/forest_plan.h"

namespace openworld {

// softmax(q k' / sqrt(d / heads)) v per head, as AttentionPlan says who sees whom; [queries, d].
//
// `own` holds the rows from `own_begin` of the layout on, as [rows, 3 d] with columns q, k, v, or
// as [rows, 2 d] with columns k, v, when the queries come apart as `query` [queries, d]. Without
// `query` the queries are the rows of `own` in order. `frozen_kv` [own_begin, 2 d] holds the rows
// before; it gets no gradient and may be undefined if own_begin is 0.
//
// Differentiable in `own` and `query`. Results do not depend on the number of threads.
at::Tensor forest_attention(const at::Tensor& own, const at::Tensor& query,
                            const at::Tensor& frozen_kv, std::int32_t own_begin,
                            std::shared_ptr<const AttentionPlan> plan, std::int64_t heads);

}  // namespace openworld
