#pragma once

// Attention in which a row sees its ancestors in a forest, without padding, masks or copies.
//
// On the CPU it is a kernel written by hand. Linear layers do 99 % of the arithmetic of a text step
// (267 rows of width 512: 20 GFLOP against 0.15 in attention), so the kernel's task is to stay out
// of the way: no gathers of keys, no batched products of tiny matrices. Each group of queries walks
// its few runs of keys in place.
//
// On other devices it is torch's operations: all rows as keys, and a mask. That is more arithmetic
// (2 * 267^2 * 512 multiplications a block instead of a tenth of it, still little beside the linear
// layers), but a few large products, and in the backward pass no sums whose order is left to
// chance. Memory grows with queries x rows; ForestRun counts it. Not run on a GPU so far
// (device.h).

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

#include "openworld/vlm/forest_plan.h"

namespace openworld {

// Who sees whom, made ready for a device.
struct ForestAttention {
  std::shared_ptr<const AttentionPlan> plan;
  at::Tensor hidden;  // bool [queries, rows of the layout], for torch's operations; else undefined

  // Floats that are kept for the backward pass, of all heads.
  std::int64_t kept_floats(std::int64_t heads) const;
};

// `rows` are those of the layout that the plan's keys are of.
ForestAttention make_forest_attention(const AttentionPlan& plan, std::int64_t rows,
                                      const at::Device& device);

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
                            const ForestAttention& attention, std::int64_t heads);

}  // namespace openworld
