#include "openworld/vlm/forest_attention.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "openworld/base/simd.h"
#include "openworld/vlm/device.h"

namespace openworld {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// A matrix whose rows are `stride` floats apart; null if there is none.
template <class T>
struct Rows {
  T* data = nullptr;
  std::int64_t stride = 0;

  T* row(std::int64_t i) const { return data + i * stride; }
};

using ConstRows = Rows<const float>;

// Keys and values of a layout, whose first `begin` rows lie apart.
struct KeyRows {
  ConstRows frozen_k, frozen_v, own_k, own_v;
  std::int32_t begin = 0;

  const float* k(std::int32_t r) const {
    return r < begin ? frozen_k.row(r) : own_k.row(r - begin);
  }
  const float* v(std::int32_t r) const {
    return r < begin ? frozen_v.row(r) : own_v.row(r - begin);
  }
};

constexpr int kKeyLanes = 8;

// Eight partial sums, so that the order of additions is one that a vector unit has.
[[gnu::always_inline]] inline float dot(const float* a, const float* b, std::int64_t n) {
  float sums[kKeyLanes] = {};
  std::int64_t i = 0;
  for (; i + kKeyLanes <= n; i += kKeyLanes) {
    for (int l = 0; l < kKeyLanes; ++l) sums[l] += a[i + l] * b[i + l];
  }
  for (; i < n; ++i) sums[i % kKeyLanes] += a[i] * b[i];
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

// out += factor * a
[[gnu::always_inline]] inline void add_scaled(float* out, float factor, const float* a,
                                              std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] += factor * a[i];
}

// Rows of the layout that the group sees, in order.
void list_keys(const AttentionPlan& plan, const QueryGroup& group,
               std::vector<std::int32_t>& keys) {
  keys.clear();
  for (std::int32_t r = 0; r < group.ranges; ++r) {
    const RowRange& range = plan.ranges[static_cast<std::size_t>(group.first_range + r)];
    for (std::int32_t i = 0; i < range.count; ++i) keys.push_back(range.begin + i);
  }
}

void softmax(float* scores, std::int32_t n) {
  const float largest = *std::max_element(scores, scores + n);
  float sum = 0;
  for (std::int32_t j = 0; j < n; ++j) {
    scores[j] = std::exp(scores[j] - largest);
    sum += scores[j];
  }
  for (std::int32_t j = 0; j < n; ++j) scores[j] /= sum;
}

// One query of one head: weights [n] and the output [dim].
OPENWORLD_SIMD
void attend(const float* q, const KeyRows& rows, const std::int32_t* keys, std::int32_t n,
            std::int64_t column, std::int64_t dim, float* weights, float* out) {
  const float scale = 1 / std::sqrt(static_cast<float>(dim));
  for (std::int32_t j = 0; j < n; ++j) {
    weights[j] = scale * dot(q, rows.k(keys[j]) + column, dim);
  }
  softmax(weights, n);
  std::fill_n(out, dim, 0.0f);
  for (std::int32_t j = 0; j < n; ++j) add_scaled(out, weights[j], rows.v(keys[j]) + column, dim);
}

// Gradients of attend: adds to those of the query and of the keys and values that are ours. The
// rows of `grad` are laid out as those of own: k first, v after `width` columns.
OPENWORLD_SIMD
void attend_backward(const float* q, const KeyRows& rows, const std::int32_t* keys, std::int32_t n,
                     std::int64_t column, std::int64_t dim, const float* weights,
                     const float* grad_out, float* grad_q, Rows<float> grad_k, Rows<float> grad_v,
                     float* grad_weights) {
  const float scale = 1 / std::sqrt(static_cast<float>(dim));
  float mean = 0;
  for (std::int32_t j = 0; j < n; ++j) {
    grad_weights[j] = dot(grad_out, rows.v(keys[j]) + column, dim);
    mean += weights[j] * grad_weights[j];
  }
  for (std::int32_t j = 0; j < n; ++j) {
    const float grad_score = scale * weights[j] * (grad_weights[j] - mean);
    add_scaled(grad_q, grad_score, rows.k(keys[j]) + column, dim);
    const std::int32_t own = keys[j] - rows.begin;
    if (own < 0) continue;
    add_scaled(grad_k.row(own) + column, grad_score, q, dim);
    add_scaled(grad_v.row(own) + column, weights[j], grad_out, dim);
  }
}

// What forward and backward read, from the tensors that autograd keeps.
struct Operands {
  Operands(const Tensor& own, const Tensor& query, const Tensor& frozen_kv,
           std::int32_t own_begin) {
    const bool packed = !query.defined();
    width = packed ? own.size(1) / 3 : own.size(1) / 2;
    const auto rows_of = [](const Tensor& t, std::int64_t column) {
      return ConstRows{t.data_ptr<float>() + column, t.stride(0)};
    };
    queries = packed ? rows_of(own, 0) : rows_of(query, 0);
    keys.begin = own_begin;
    keys.own_k = rows_of(own, packed ? width : 0);
    keys.own_v = rows_of(own, packed ? 2 * width : width);
    if (own_begin > 0) {
      keys.frozen_k = rows_of(frozen_kv, 0);
      keys.frozen_v = rows_of(frozen_kv, width);
    }
  }

  std::int64_t width = 0;
  ConstRows queries;
  KeyRows keys;
};

struct PlanHolder : torch::CustomClassHolder {
  explicit PlanHolder(std::shared_ptr<const AttentionPlan> p) : plan(std::move(p)) {}
  std::shared_ptr<const AttentionPlan> plan;
};

class AttentionKernel : public torch::autograd::Function<AttentionKernel> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& own,
                        const c10::optional<Tensor>& apart, const c10::optional<Tensor>& before,
                        std::int64_t own_begin, const std::shared_ptr<const AttentionPlan>& plan,
                        std::int64_t heads, bool keep) {
    const Tensor query = apart.value_or(Tensor());
    const Tensor frozen_kv = before.value_or(Tensor());
    const Operands in(own, query, frozen_kv, static_cast<std::int32_t>(own_begin));
    const std::int64_t dim = in.width / heads;
    Tensor out = at::empty({plan->queries, in.width}, own.options());
    // Backward needs the weights of all heads; else each group only while it runs.
    Tensor weights = at::empty({keep ? heads * plan->weights : 0}, own.options());
    const Rows<float> out_rows = {out.data_ptr<float>(), in.width};
    float* const kept = weights.data_ptr<float>();
    at::parallel_for(0, static_cast<std::int64_t>(plan->groups.size()), 4,
                     [&](std::int64_t from, std::int64_t to) {
                       std::vector<std::int32_t> keys;
                       std::vector<float> scratch;
                       for (std::int64_t g = from; g < to; ++g) {
                         const QueryGroup& group = plan->groups[static_cast<std::size_t>(g)];
                         list_keys(*plan, group, keys);
                         const std::int64_t per_head = std::int64_t{group.queries} * group.keys();
                         if (!keep) scratch.resize(static_cast<std::size_t>(per_head));
                         for (std::int64_t h = 0; h < heads; ++h) {
                           float* const head =
                               keep ? kept + heads * group.weights + h * per_head : scratch.data();
                           for (std::int32_t i = 0; i < group.queries; ++i) {
                             const std::int64_t row = group.first_query + i;
                             attend(in.queries.row(row) + h * dim, in.keys, keys.data(),
                                    group.first_seen + i, h * dim, dim, head + i * group.keys(),
                                    out_rows.row(row) + h * dim);
                           }
                         }
                       }
                     });
    context->save_for_backward({own, query, frozen_kv, weights});
    context->saved_data["own_begin"] = own_begin;
    context->saved_data["heads"] = heads;
    context->saved_data["plan"] = c10::IValue::make_capsule(c10::make_intrusive<PlanHolder>(plan));
    return out;
  }

  // By heads: their columns are disjoint, so no two threads add to one gradient, and the order of
  // additions does not depend on how many threads there are.
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    const Tensor& own = saved[0];
    const Tensor& query = saved[1];
    const auto begin = static_cast<std::int32_t>(context->saved_data["own_begin"].toInt());
    const std::int64_t heads = context->saved_data["heads"].toInt();
    const auto holder = context->saved_data["plan"].toCapsule();
    const AttentionPlan& plan = *static_cast<const PlanHolder&>(*holder).plan;

    const Operands in(own, query, saved[2], begin);
    const std::int64_t dim = in.width / heads;
    const bool packed = !query.defined();
    const Tensor grad_out = grads[0].contiguous();
    Tensor grad_own = at::zeros(own.sizes(), own.options());
    Tensor grad_query = packed ? Tensor() : at::zeros(query.sizes(), query.options());
    const auto rows_of = [](const Tensor& t, std::int64_t column) {
      return Rows<float>{t.data_ptr<float>() + column, t.size(1)};
    };
    const Rows<float> grad_q = packed ? rows_of(grad_own, 0) : rows_of(grad_query, 0);
    const Rows<float> grad_k = rows_of(grad_own, packed ? in.width : 0);
    const Rows<float> grad_v = rows_of(grad_own, packed ? 2 * in.width : in.width);
    const ConstRows grad_rows = {grad_out.data_ptr<float>(), in.width};
    const float* const weights = saved[3].data_ptr<float>();

    at::parallel_for(0, heads, 1, [&](std::int64_t from, std::int64_t to) {
      std::vector<std::int32_t> keys;
      std::vector<float> grad_weights;
      for (const QueryGroup& group : plan.groups) {
        list_keys(plan, group, keys);
        grad_weights.resize(keys.size());
        const std::int64_t per_head = std::int64_t{group.queries} * group.keys();
        for (std::int64_t h = from; h < to; ++h) {
          const float* const head = weights + heads * group.weights + h * per_head;
          for (std::int32_t i = 0; i < group.queries; ++i) {
            const std::int64_t row = group.first_query + i;
            attend_backward(in.queries.row(row) + h * dim, in.keys, keys.data(),
                            group.first_seen + i, h * dim, dim, head + i * group.keys(),
                            grad_rows.row(row) + h * dim, grad_q.row(row) + h * dim, grad_k, grad_v,
                            grad_weights.data());
          }
        }
      }
    });
    return {grad_own, grad_query, Tensor(), Tensor(), Tensor(), Tensor(), Tensor()};
  }
};

// The same in torch's operations. [rows, d] as [heads, rows, d / heads].
Tensor masked_attention(const Tensor& own, const Tensor& query, const Tensor& frozen_kv,
                        const Tensor& hidden, std::int64_t heads) {
  const bool packed = !query.defined();
  const std::int64_t d = own.size(1) / (packed ? 3 : 2);
  const auto by_head = [&](const Tensor& x) {
    return x.reshape({x.size(0), heads, d / heads}).transpose(0, 1);
  };
  const auto all_rows = [&](std::int64_t which) {
    const Tensor mine = own.narrow(1, (packed ? 1 + which : which) * d, d);
    return frozen_kv.defined() ? at::cat({frozen_kv.narrow(1, which * d, d), mine}) : mine;
  };
  const Tensor q = by_head(packed ? own.narrow(1, 0, d) : query);
  const double scale = 1 / std::sqrt(static_cast<double>(d / heads));
  const Tensor scores = at::bmm(q * scale, by_head(all_rows(0)).transpose(1, 2));
  constexpr double kHidden = -std::numeric_limits<double>::infinity();
  const Tensor weights = at::softmax(scores.masked_fill(hidden, kHidden), -1);
  return at::bmm(weights, by_head(all_rows(1))).transpose(0, 1).reshape({-1, d});
}

}  // namespace

std::int64_t ForestAttention::kept_floats(std::int64_t heads) const {
  return heads * (hidden.defined() ? hidden.numel() : plan->weights);
}

ForestAttention make_forest_attention(const AttentionPlan& plan, std::int64_t rows,
                                      const at::Device& device) {
  ForestAttention result = {std::make_shared<const AttentionPlan>(plan), {}};
  if (uses_kernels(device)) return result;
  Tensor hidden = at::ones({plan.queries, rows}, at::kBool);
  bool* const values = hidden.data_ptr<bool>();
  std::vector<std::int32_t> keys;
  for (const QueryGroup& group : plan.groups) {
    list_keys(plan, group, keys);
    for (std::int32_t i = 0; i < group.queries; ++i) {
      bool* const row = values + (group.first_query + i) * rows;
      for (std::int32_t j = 0; j < group.first_seen + i; ++j) row[keys[j]] = false;
    }
  }
  result.hidden = hidden.to(device);
  return result;
}

at::Tensor forest_attention(const Tensor& own, const Tensor& query, const Tensor& frozen_kv,
                            std::int32_t own_begin, const ForestAttention& attention,
                            std::int64_t heads) {
  if (attention.hidden.defined()) {
    return masked_attention(own, query, own_begin > 0 ? frozen_kv : Tensor(), attention.hidden,
                            heads);
  }
  const bool keep = at::GradMode::is_enabled() &&
                    (own.requires_grad() || (query.defined() && query.requires_grad()));
  // Function takes no undefined tensor, only an absent one.
  const auto optional = [](const Tensor& t) {
    return t.defined() ? c10::optional<Tensor>(t) : c10::nullopt;
  };
  return AttentionKernel::apply(own, optional(query), optional(frozen_kv), own_begin,
                                attention.plan, heads, keep);
}

}  // namespace openworld
