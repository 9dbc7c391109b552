#include "openworld/pretrain/image_attention.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/softmax.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "openworld/base/simd.h"
#include "openworld/pretrain/vector_math.h"
#include "openworld/vlm/device.h"

namespace openworld {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
using vector_math::exp_of_negative;
using vector_math::Floats;
using vector_math::kLanes;
using vector_math::load;
using vector_math::store;

// Rows of one head: `row` i begins at data + i * stride.
template <class T>
struct Rows {
  T* data = nullptr;
  std::int64_t stride = 0;

  T* row(std::int64_t i) const { return data + i * stride; }
};

// Sizes of one head of one image.
struct Head {
  std::int64_t queries = 0, rows = 0, columns = 0;

  // Rows, in eights.
  std::int64_t padded() const { return (rows + kLanes - 1) / kLanes * kLanes; }
  float scale() const { return 1 / std::sqrt(static_cast<float>(columns)); }
};

// [columns, padded] of rows [rows, columns]; zeros in the padding.
[[gnu::always_inline]] inline void transpose(const Rows<const float>& from, const Head& head,
                                             float* to) {
  const std::int64_t padded = head.padded();
  std::fill_n(to, head.columns * padded, 0.0f);
  for (std::int64_t r = 0; r < head.rows; ++r) {
    for (std::int64_t c = 0; c < head.columns; ++c) to[c * padded + r] = from.row(r)[c];
  }
}

// out[i][j] = a row `first` + i times column j of b [columns, padded], for n rows.
template <int n>
[[gnu::always_inline]] inline void products(const Rows<const float>& a, std::int64_t first,
                                            const float* b, const Head& head, float* out) {
  const std::int64_t padded = head.padded();
  for (std::int64_t j = 0; j < padded; j += kLanes) {
    Floats sums[n] = {};
    for (std::int64_t c = 0; c < head.columns; ++c) {
      const Floats column = load(b + c * padded + j);
      for (int i = 0; i < n; ++i) sums[i] += a.row(first + i)[c] * column;
    }
    for (int i = 0; i < n; ++i) store(sums[i], out + (first + i) * padded + j);
  }
}

[[gnu::always_inline]] inline void all_products(const Rows<const float>& a, const float* b,
                                                const Head& head, float* out) {
  std::int64_t i = 0;
  for (; i + 4 <= head.queries; i += 4) products<4>(a, i, b, head, out);
  for (; i < head.queries; ++i) products<1>(a, i, b, head, out);
}

// out += or = the sum of weights[j * step] times row j of a, n eights of columns from `column` on.
template <int n>
[[gnu::always_inline]] inline void mix(const float* weights, std::int64_t step,
                                       const Rows<const float>& a, std::int64_t rows,
                                       std::int64_t column, float* out) {
  Floats sums[n] = {};
  for (std::int64_t j = 0; j < rows; ++j) {
    const float weight = weights[j * step];
    const float* const row = a.row(j) + column;
    for (int k = 0; k < n; ++k) sums[k] += weight * load(row + k * kLanes);
  }
  for (int k = 0; k < n; ++k) store(sums[k], out + column + k * kLanes);
}

// out[i] = the sum over j of weights[i * outer + j * inner] times row j of a.
[[gnu::always_inline]] inline void mix_rows(const float* weights, std::int64_t outer,
                                            std::int64_t inner, const Rows<const float>& a,
                                            std::int64_t rows, std::int64_t columns,
                                            std::int64_t outputs, const Rows<float>& out) {
  for (std::int64_t i = 0; i < outputs; ++i) {
    std::int64_t c = 0;
    for (; c + 4 * kLanes <= columns; c += 4 * kLanes) {
      mix<4>(weights + i * outer, inner, a, rows, c, out.row(i));
    }
    for (; c < columns; c += kLanes) mix<1>(weights + i * outer, inner, a, rows, c, out.row(i));
  }
}

// exp(scale (s - largest)) / sum, in place; what is padding becomes 0.
[[gnu::always_inline]] inline void softmax(float* scores, const Head& head) {
  float largest = scores[0];
  for (std::int64_t j = 1; j < head.rows; ++j) largest = std::max(largest, scores[j]);
  const std::int64_t padded = head.padded();
  for (std::int64_t j = head.rows; j < padded; ++j) scores[j] = largest;
  float sum = 0;
  for (std::int64_t j = 0; j < padded; j += kLanes) {
    store(exp_of_negative((load(scores + j) - largest) * head.scale()), scores + j);
  }
  for (std::int64_t j = 0; j < head.rows; ++j) sum += scores[j];
  const float share = 1 / sum;
  for (std::int64_t j = 0; j < head.rows; ++j) scores[j] *= share;
  for (std::int64_t j = head.rows; j < padded; ++j) scores[j] = 0;
}

// weights [queries, padded]; `scratch` has columns * padded floats.
OPENWORLD_SIMD_V3
void attend(const Rows<const float>& q, const Rows<const float>& k, const Rows<const float>& v,
            const Head& head, float* weights, const Rows<float>& out, float* scratch) {
  transpose(k, head, scratch);
  all_products(q, scratch, head, weights);
  for (std::int64_t i = 0; i < head.queries; ++i) softmax(weights + i * head.padded(), head);
  mix_rows(weights, head.padded(), 1, v, head.rows, head.columns, head.queries, out);
}

// `scratch` has (columns + queries) * padded floats.
OPENWORLD_SIMD_V3
void attend_backward(const Rows<const float>& q, const Rows<const float>& k,
                     const Rows<const float>& v, const Head& head, const float* weights,
                     const Rows<const float>& out_gradient, const Rows<float>& q_gradient,
                     const Rows<float>& k_gradient, const Rows<float>& v_gradient, float* scratch) {
  const std::int64_t padded = head.padded();
  float* const scores = scratch + head.columns * padded;
  transpose(v, head, scratch);
  all_products(out_gradient, scratch, head, scores);  // the gradient of the weights
  for (std::int64_t i = 0; i < head.queries; ++i) {
    const float* const w = weights + i * padded;
    float* const g = scores + i * padded;
    float mean = 0;
    for (std::int64_t j = 0; j < head.rows; ++j) mean += w[j] * g[j];
    for (std::int64_t j = 0; j < padded; ++j) g[j] = head.scale() * w[j] * (g[j] - mean);
  }
  mix_rows(scores, padded, 1, k, head.rows, head.columns, head.queries, q_gradient);
  mix_rows(scores, 1, padded, q, head.queries, head.columns, head.rows, k_gradient);
  mix_rows(weights, 1, padded, out_gradient, head.queries, head.columns, head.rows, v_gradient);
}

// The rows of a head in the tensors of an attention, or in their gradients.
template <class T>
struct Operands {
  Rows<T> q, k, v;

  Operands(const Tensor& own, const Tensor& query, std::int64_t image, std::int64_t column) {
    const bool packed = !query.defined();
    const std::int64_t d = packed ? own.size(2) / 3 : query.size(2);
    const auto rows_of = [&](const Tensor& t, std::int64_t from) {
      return Rows<T>{t.data_ptr<float>() + image * t.size(1) * t.size(2) + from + column,
                     t.size(2)};
    };
    q = packed ? rows_of(own, 0) : rows_of(query, 0);
    k = rows_of(own, packed ? d : 0);
    v = rows_of(own, packed ? 2 * d : d);
  }
};

class AttentionKernel : public torch::autograd::Function<AttentionKernel> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& given,
                        const c10::optional<Tensor>& apart, std::int64_t heads) {
    const Tensor own = given.contiguous();
    const Tensor query = apart ? apart->contiguous() : Tensor();
    const std::int64_t images = own.size(0);
    const std::int64_t d = query.defined() ? query.size(2) : own.size(2) / 3;
    const Head head{query.defined() ? query.size(1) : own.size(1), own.size(1), d / heads};
    Tensor out = at::empty({images, head.queries, d}, own.options());
    Tensor weights = at::empty({images, heads, head.queries, head.padded()}, own.options());
    at::parallel_for(0, images, 4, [&](std::int64_t from, std::int64_t to) {
      std::vector<float> scratch(static_cast<std::size_t>(head.columns * head.padded()));
      for (std::int64_t n = from; n < to; ++n) {
        for (std::int64_t h = 0; h < heads; ++h) {
          const Operands<const float> in(own, query, n, h * head.columns);
          attend(in.q, in.k, in.v, head, weights_of(weights, n, h),
                 rows_of<float>(out, n, h * head.columns), scratch.data());
        }
      }
    });
    context->save_for_backward({own, query, weights});
    context->saved_data["heads"] = heads;
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const Tensor &own = saved[0], &query = saved[1], &weights = saved[2];
    const std::int64_t heads = context->saved_data["heads"].toInt();
    const Tensor out_gradient = gradients[0].contiguous();
    const Head head{out_gradient.size(1), own.size(1), out_gradient.size(2) / heads};
    Tensor own_gradient = at::empty(own.sizes(), own.options());
    Tensor query_gradient = query.defined() ? at::empty(query.sizes(), query.options()) : Tensor();
    at::parallel_for(0, own.size(0), 4, [&](std::int64_t from, std::int64_t to) {
      std::vector<float> scratch(
          static_cast<std::size_t>((head.columns + head.queries) * head.padded()));
      for (std::int64_t n = from; n < to; ++n) {
        for (std::int64_t h = 0; h < heads; ++h) {
          const std::int64_t column = h * head.columns;
          const Operands<const float> in(own, query, n, column);
          const Operands<float> out(own_gradient, query_gradient, n, column);
          attend_backward(in.q, in.k, in.v, head, weights_of(weights, n, h),
                          rows_of<const float>(out_gradient, n, column), out.q, out.k, out.v,
                          scratch.data());
        }
      }
    });
    return {own_gradient, query_gradient, Tensor()};
  }

 private:
  static float* weights_of(const Tensor& weights, std::int64_t image, std::int64_t head) {
    const std::int64_t size = weights.size(2) * weights.size(3);
    return weights.data_ptr<float>() + (image * weights.size(1) + head) * size;
  }

  template <class T>
  static Rows<T> rows_of(const Tensor& t, std::int64_t image, std::int64_t column) {
    return {t.data_ptr<float>() + image * t.size(1) * t.size(2) + column, t.size(2)};
  }
};

// [n, rows, d] as [n * heads, rows, d / heads].
Tensor by_head(const Tensor& x, std::int64_t heads) {
  const std::int64_t n = x.size(0), rows = x.size(1), columns = x.size(2) / heads;
  return x.reshape({n, rows, heads, columns}).transpose(1, 2).reshape({n * heads, rows, columns});
}

Tensor torch_attention(const Tensor& own, const Tensor& apart, std::int64_t heads) {
  const std::int64_t d = apart.defined() ? apart.size(2) : own.size(2) / 3;
  const Tensor query = apart.defined() ? apart : own.narrow(2, 0, d);
  const std::int64_t first = own.size(2) - 2 * d, columns = d / heads;
  const Tensor k = by_head(own.narrow(2, first, d), heads);
  const Tensor v = by_head(own.narrow(2, first + d, d), heads);
  const Tensor scores =
      at::bmm(by_head(query, heads), k.transpose(1, 2)) / std::sqrt(static_cast<double>(columns));
  const std::int64_t n = query.size(0), rows = query.size(1);
  return at::bmm(at::softmax(scores, -1), v)
      .reshape({n, heads, rows, columns})
      .transpose(1, 2)
      .reshape({n, rows, d});
}

}  // namespace

Tensor image_attention(const Tensor& own, const Tensor& query, std::int64_t heads) {
  const std::int64_t d = query.defined() ? query.size(2) : own.size(2) / 3;
  if (!uses_kernels(own.device()) || d / heads % kLanes != 0) {
    return torch_attention(own, query, heads);
  }
  const c10::optional<Tensor> apart = query.defined() ? c10::make_optional(query) : c10::nullopt;
  return AttentionKernel::apply(own, apart, heads);
}

}  // namespace openworld
