#pragma once

// An activation as a kernel of its own, with its derivative, for autograd.

#include <ATen/Parallel.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cstdint>

namespace openworld {

// kValues(x, n, y) computes n values, kSlopes(x, gradient, n, result) n gradients times slopes;
// neither depends on where parts begin. Each thread takes at least kGrain elements.
template <auto kValues, auto kSlopes, std::int64_t kGrain>
class Elementwise : public torch::autograd::Function<Elementwise<kValues, kSlopes, kGrain>> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& input) {
    const at::Tensor x = input.contiguous();
    context->save_for_backward({x});
    at::Tensor y = at::empty_like(x);
    const float* const from = x.data_ptr<float>();
    float* const to = y.data_ptr<float>();
    at::parallel_for(0, x.numel(), kGrain, [&](std::int64_t begin, std::int64_t end) {
      kValues(from + begin, end - begin, to + begin);
    });
    return y;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const at::Tensor x = context->get_saved_variables()[0];
    const at::Tensor gradient = gradients[0].contiguous();
    at::Tensor result = at::empty_like(x);
    const float* const from = x.data_ptr<float>();
    const float* const factor = gradient.data_ptr<float>();
    float* const to = result.data_ptr<float>();
    at::parallel_for(0, x.numel(), kGrain, [&](std::int64_t begin, std::int64_t end) {
      kSlopes(from + begin, factor + begin, end - begin, to + begin);
    });
    return {result};
  }
};

}  // namespace openworld
