#include "openworld/vlm/vision_attention.h"

#include <ATen/ops/_softmax.h>
#include <ATen/ops/_softmax_backward_data.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>

namespace openworld {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// The columns of one head, of one image.
struct HeadColumns {
  std::int64_t image, head, width;  // width: columns of a head

  Tensor of(const Tensor& t, std::int64_t from = 0) const {
    return t.select(0, image).narrow(1, from + head * width, width);
  }
};

// What one head needs while it is computed.
struct Scratch {
  Scratch(const Tensor& query, const Tensor& kv)
      : scores(at::empty({query.size(1), kv.size(1)}, query.options().requires_grad(false))),
        weights(at::empty_like(scores)) {}

  // Softmax weights of the head.
  void weigh(const Tensor& q, const Tensor& k, double scale) {
    at::addmm_out(scores, scores, q, k.t(), /*beta=*/0, scale);
    at::_softmax_out(weights, scores, 1, /*half_to_float=*/false);
  }

  Tensor scores, weights;
};

class VisionAttention : public torch::autograd::Function<VisionAttention> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& query, const Tensor& kv,
                        std::int64_t heads) {
    const std::int64_t images = query.size(0), d = query.size(2);
    Tensor out = at::empty({images, query.size(1), d}, query.options().requires_grad(false));
    Scratch scratch(query, kv);
    for (std::int64_t n = 0; n < images; ++n) {
      for (std::int64_t h = 0; h < heads; ++h) {
        const HeadColumns head{n, h, d / heads};
        scratch.weigh(head.of(query), head.of(kv), scale_of(head));
        Tensor mixed = head.of(out);
        at::mm_out(mixed, scratch.weights, head.of(kv, d));
      }
    }
    context->save_for_backward({query, kv});
    context->saved_data["heads"] = heads;
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const Tensor &query = saved[0], &kv = saved[1];
    const Tensor out_gradient = gradients[0].contiguous();
    const std::int64_t heads = context->saved_data["heads"].toInt(), d = query.size(2);
    const auto gradient_of = [](const Tensor& t) {
      return t.requires_grad() ? at::empty(t.sizes(), t.options().requires_grad(false)) : Tensor();
    };
    const Tensor query_gradient = gradient_of(query), kv_gradient = gradient_of(kv);
    Scratch scratch(query, kv);
    Tensor& scores = scratch.scores;
    Tensor of_weights = at::empty_like(scores);
    for (std::int64_t n = 0; n < query.size(0); ++n) {
      for (std::int64_t h = 0; h < heads; ++h) {
        const HeadColumns head{n, h, d / heads};
        const Tensor q = head.of(query), k = head.of(kv), g = head.of(out_gradient);
        const double scale = scale_of(head);
        scratch.weigh(q, k, scale);
        at::mm_out(of_weights, g, head.of(kv, d).t());
        at::_softmax_backward_data_out(scores, of_weights, scratch.weights, 1, at::kFloat);
        if (query_gradient.defined()) {
          Tensor to = head.of(query_gradient);
          at::addmm_out(to, to, scores, k, /*beta=*/0, scale);
        }
        if (kv_gradient.defined()) {
          Tensor to_k = head.of(kv_gradient), to_v = head.of(kv_gradient, d);
          at::addmm_out(to_k, to_k, scores.t(), q, /*beta=*/0, scale);
          at::mm_out(to_v, scratch.weights.t(), g);
        }
      }
    }
    return {query_gradient, kv_gradient, Tensor()};
  }

 private:
  static double scale_of(const HeadColumns& head) {
    return 1 / std::sqrt(static_cast<double>(head.width));
  }
};

}  // namespace

Tensor vision_attention(const Tensor& query, const Tensor& kv, std::int64_t heads) {
  return VisionAttention::apply(query, kv, heads);
}

}  // namespace openworld
