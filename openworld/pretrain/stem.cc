#include "openworld/pretrain/stem.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "openworld/pretrain/stem_kernels.h"
#include "openworld/vlm/activation.h"
#include "openworld/vlm/device.h"

namespace openworld {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Windows are gathered for so many floats at a time, which stay in the second cache until the
// product has read them.
constexpr std::int64_t kWindowFloats = 96 * 1024;

struct Layer {
  WindowShape shape;
  Activation activation = Activation::kGelu;
};

// [9 in, out] of a convolution's [out, in, 3, 3].
Tensor as_matrix(const Tensor& weight) {
  return weight.permute({2, 3, 1, 0}).reshape({-1, weight.size(0)}).contiguous();
}

Tensor as_convolution(const Tensor& matrix) {
  const std::int64_t out = matrix.size(1), in = matrix.size(0) / 9;
  return matrix.view({3, 3, in, out}).permute({3, 2, 0, 1}).contiguous();
}

// Calls work(first, count, windows) for groups of images.
template <class Work>
void for_each_group(const WindowShape& shape, const at::TensorOptions& options, const Work& work) {
  const std::int64_t each = shape.out_rows() * shape.window();
  const std::int64_t most =
      std::clamp<std::int64_t>(kWindowFloats / each, 1, std::max<std::int64_t>(shape.images, 1));
  const Tensor windows = at::empty({most * shape.out_rows(), shape.window()}, options);
  for (std::int64_t first = 0; first < shape.images; first += most) {
    const std::int64_t count = std::min(most, shape.images - first);
    work(first, count, windows.narrow(0, 0, count * shape.out_rows()));
  }
}

Tensor convolve(const Tensor& x, const Tensor& matrix, const WindowShape& shape) {
  Tensor y = at::empty({shape.images * shape.out_rows(), matrix.size(1)}, x.options());
  const float* const from = x.data_ptr<float>();
  for_each_group(shape, x.options(), [&](std::int64_t first, std::int64_t count, Tensor windows) {
    gather_windows(from, shape, first, count, windows.data_ptr<float>());
    Tensor part = y.narrow(0, first * shape.out_rows(), count * shape.out_rows());
    at::mm_out(part, windows, matrix);
  });
  return y;
}

struct ConvolutionGradients {
  Tensor x;  // undefined unless asked for
  Tensor matrix;
};

ConvolutionGradients convolve_backward(const Tensor& x, const Tensor& matrix,
                                       const WindowShape& shape, const Tensor& y_gradient,
                                       bool wants_x) {
  ConvolutionGradients result{wants_x ? at::zeros(x.sizes(), x.options()) : Tensor(),
                              at::zeros(matrix.sizes(), matrix.options())};
  const float* const from = x.data_ptr<float>();
  for_each_group(shape, x.options(), [&](std::int64_t first, std::int64_t count, Tensor windows) {
    const Tensor part = y_gradient.narrow(0, first * shape.out_rows(), count * shape.out_rows());
    gather_windows(from, shape, first, count, windows.data_ptr<float>());
    result.matrix.addmm_(windows.t(), part);
    if (!wants_x) return;
    at::mm_out(windows, part, matrix.t());
    scatter_windows(windows.data_ptr<float>(), shape, first, count, result.x.data_ptr<float>());
  });
  return result;
}

// What a layer does to its convolution's output y: activation(y scale + shift).
struct Columns {
  std::vector<float> scale, shift, centre;  // centre: the mean
  std::vector<double> deviation;            // 1 / sqrt(variance + eps)

  Columns(const Tensor& norm_weight, const Tensor& bias, const std::vector<double>& mean,
          const std::vector<double>& variance) {
    const auto columns = static_cast<std::size_t>(bias.numel());
    const float* const b = bias.data_ptr<float>();
    for (std::size_t c = 0; c < columns; ++c) {
      const bool normed = norm_weight.defined();
      deviation.push_back(normed ? 1 / std::sqrt(variance[c] + kNormEpsilon) : 1);
      const double a = normed ? norm_weight.data_ptr<float>()[c] * deviation[c] : 1;
      scale.push_back(static_cast<float>(a));
      shift.push_back(static_cast<float>(b[c] - (normed ? mean[c] * a : 0)));
      centre.push_back(static_cast<float>(normed ? mean[c] : 0));
    }
  }
};

Tensor as_tensor(const std::vector<double>& values) {
  Tensor tensor = at::empty({static_cast<std::int64_t>(values.size())}, at::kFloat);
  std::transform(values.begin(), values.end(), tensor.data_ptr<float>(),
                 [](double value) { return static_cast<float>(value); });
  return tensor;
}

// The statistics that the backward pass needs as forward had them, to the last bit.
struct LayerStatistics : torch::CustomClassHolder {
  Layer layer;
  std::vector<double> mean, variance;
};

// Convolution, normalisation (if norm_weight is there) and activation on rows of pixels.
class StemLayerKernel : public torch::autograd::Function<StemLayerKernel> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight,
                        const c10::optional<Tensor>& norm, const Tensor& bias, const Layer& layer,
                        StemMoments* moments) {
    const Tensor norm_weight = norm.value_or(Tensor());
    const Tensor y = convolve(x, as_matrix(weight), layer.shape);
    const RowsShape rows{y.size(0), y.size(1)};
    auto statistics = c10::make_intrusive<LayerStatistics>();
    statistics->layer = layer;
    if (norm_weight.defined()) {
      statistics->mean.resize(static_cast<std::size_t>(rows.columns));
      statistics->variance.resize(static_cast<std::size_t>(rows.columns));
      column_moments(y.data_ptr<float>(), rows, statistics->mean.data(),
                     statistics->variance.data());
      if (moments != nullptr) add_moments(*statistics, rows.rows, *moments);
    }
    const Columns columns(norm_weight, bias, statistics->mean, statistics->variance);
    Tensor z = at::empty(y.sizes(), y.options());
    activate_columns(y.data_ptr<float>(), rows, columns.scale.data(), columns.shift.data(),
                     layer.activation, z.data_ptr<float>());
    context->save_for_backward({x, weight, norm_weight, bias, y});
    context->saved_data["statistics"] = c10::IValue::make_capsule(std::move(statistics));
    return z;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const Tensor &x = saved[0], &weight = saved[1], &norm_weight = saved[2], &bias = saved[3],
                 &y = saved[4];
    const auto capsule = context->saved_data["statistics"].toCapsule();
    const auto& statistics = static_cast<const LayerStatistics&>(*capsule);
    const Columns columns(norm_weight, bias, statistics.mean, statistics.variance);
    const RowsShape rows{y.size(0), y.size(1)};
    const Tensor z_gradient = gradients[0].contiguous();
    Tensor gradient = at::empty(y.sizes(), y.options());
    std::vector<double> sums(static_cast<std::size_t>(rows.columns)), centred(sums.size());
    activation_gradient(y.data_ptr<float>(), z_gradient.data_ptr<float>(), rows,
                        columns.scale.data(), columns.shift.data(), columns.centre.data(),
                        statistics.layer.activation, gradient.data_ptr<float>(), sums.data(),
                        centred.data());
    Tensor norm_gradient;
    if (norm_weight.defined()) {
      std::vector<double> of_norm(sums.size());
      for (std::size_t c = 0; c < sums.size(); ++c) of_norm[c] = centred[c] * columns.deviation[c];
      norm_gradient = as_tensor(of_norm);
      through_norm(y, columns, sums, of_norm, gradient);
    }
    const ConvolutionGradients convolution = convolve_backward(
        x, as_matrix(weight), statistics.layer.shape, gradient, context->needs_input_grad(0));
    return {convolution.x, as_convolution(convolution.matrix),
            norm_gradient, as_tensor(sums),
            Tensor(),      Tensor()};
  }

 private:
  static void add_moments(const LayerStatistics& statistics, std::int64_t rows,
                          StemMoments& moments) {
    const double unbiased =
        static_cast<double>(rows) / static_cast<double>(std::max<std::int64_t>(rows - 1, 1));
    moments.means.push_back(as_tensor(statistics.mean));
    moments.variances.push_back(as_tensor(statistics.variance) * unbiased);
  }

  // From the gradient of u = scale (y - mean) + bias to that of y, on which mean and variance
  // depend too: scale (g - mean of g - x mean of (g x)), x the normalised y.
  static void through_norm(const Tensor& y, const Columns& columns, const std::vector<double>& sums,
                           const std::vector<double>& of_norm, Tensor& gradient) {
    const auto n = static_cast<double>(y.size(0));
    std::vector<float> b(sums.size()), c(sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const double scale = columns.scale[i], of_y = scale * columns.deviation[i] * of_norm[i] / n;
      b[i] = static_cast<float>(-of_y);
      c[i] = static_cast<float>(of_y * columns.centre[i] - scale * sums[i] / n);
    }
    combine_columns(y.data_ptr<float>(), {y.size(0), y.size(1)}, columns.scale.data(), b.data(),
                    c.data(), gradient.data_ptr<float>());
  }
};

Tensor kernel_rows(const VisionTower& tower, std::span<const StemNorm> norms, const Tensor& images,
                   StemMoments* moments) {
  const Tensor pixels = images.contiguous();
  WindowShape shape{images.size(0), images.size(2), images.size(1), 1};
  const std::int64_t count = shape.side * shape.side;
  Tensor x = at::empty({shape.images * count, shape.channels}, images.options());
  channels_last(pixels.data_ptr<float>(), shape.images, shape.channels, count, x.data_ptr<float>());
  for (std::size_t i = 0; i < tower.weights.stem.size(); ++i) {
    const Affine& layer = tower.weights.stem[i];
    shape.stride = tower.config.stem[i].stride;
    const c10::optional<Tensor> norm =
        norms.empty() ? c10::nullopt : c10::optional<Tensor>(norms[i].weight);
    x = StemLayerKernel::apply(x, layer.weight, norm, layer.bias,
                               Layer{shape, tower.config.activation}, moments);
    shape.side = shape.out_side();
    shape.channels = layer.weight.size(0);
  }
  return x;
}

// Normalised by its own statistics over all but dimension 1.
Tensor normalise(const Tensor& y, const StemNorm& norm, const Tensor& bias, StemMoments* moments) {
  const auto rows = static_cast<double>(y.numel() / y.size(1));
  const Tensor mean = y.mean({0, 2, 3}, /*keepdim=*/true);
  const Tensor centred = y - mean;
  const Tensor variance = centred.square().mean({0, 2, 3}, /*keepdim=*/true);
  if (moments != nullptr) {
    moments->means.push_back(mean.detach().flatten());
    moments->variances.push_back(variance.detach().flatten() * (rows / std::max(rows - 1, 1.0)));
  }
  const auto by_channel = [](const Tensor& t) { return t.view({1, -1, 1, 1}); };
  return centred * (variance + kNormEpsilon).rsqrt() * by_channel(norm.weight) + by_channel(bias);
}

// Pixels as rows before the last activation: GELU's gradient by oneDNN 2.6 is wrong where its input
// and the gradient lie in memory in different orders.
Tensor torch_rows(const VisionTower& tower, std::span<const StemNorm> norms, Tensor x,
                  StemMoments* moments) {
  const std::size_t layers = tower.weights.stem.size();
  for (std::size_t i = 0; i < layers; ++i) {
    const auto& [weight, bias] = tower.weights.stem[i];
    const std::int64_t stride = tower.config.stem[i].stride;
    if (norms.empty()) {
      x = at::conv2d(x, weight, bias, stride, /*padding=*/1);
    } else {
      x = normalise(at::conv2d(x, weight, {}, stride, /*padding=*/1), norms[i], bias, moments);
    }
    if (i + 1 == layers) x = x.permute({0, 2, 3, 1}).reshape({-1, x.size(1)});
    x = activate(x, tower.config.activation);
  }
  return x;
}

bool comes_in_eights(const ClipConfig& config) {
  return std::ranges::all_of(config.stem, [](const auto& row) { return row.channels % 8 == 0; });
}

}  // namespace

std::vector<StemNorm> make_stem_norms(const ClipConfig& config) {
  std::vector<StemNorm> norms;
  for (const StemLayer& layer : config.stem) {
    norms.push_back({at::ones({layer.channels}, at::kFloat),
                     at::zeros({layer.channels}, at::kFloat),
                     at::ones({layer.channels}, at::kFloat)});
  }
  return norms;
}

Tensor stem_rows(const VisionTower& tower, std::span<const StemNorm> norms, const Tensor& images,
                 StemMoments* moments) {
  assert(!tower.weights.stem.empty());
  assert(norms.empty() || norms.size() == tower.weights.stem.size());
  const bool kernels = uses_kernels(images.device()) && comes_in_eights(tower.config);
  return kernels ? kernel_rows(tower, norms, images, moments)
                 : torch_rows(tower, norms, images, moments);
}

Affine folded(const Affine& layer, const StemNorm& norm) {
  const at::NoGradGuard no_grad;
  const Tensor scale = norm.weight * (norm.variance + kNormEpsilon).rsqrt();
  return {layer.weight * scale.view({-1, 1, 1, 1}), layer.bias - norm.mean * scale};
}

void update_running(std::span<const StemNorm> norms, std::span<const StemMoments> parts) {
  const at::NoGradGuard no_grad;
  const double share = kNormMomentum / static_cast<double>(parts.size());
  for (std::size_t i = 0; i < norms.size(); ++i) {
    norms[i].mean.mul_(1 - kNormMomentum);
    norms[i].variance.mul_(1 - kNormMomentum);
    for (const StemMoments& part : parts) {
      norms[i].mean.add_(part.means[i], share);
      norms[i].variance.add_(part.variances[i], share);
    }
  }
}

}  // namespace openworld
