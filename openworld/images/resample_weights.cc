#include "openworld/images/resample_weights.h"

#include <algorithm>
#include <cmath>

namespace openworld {
namespace {

double triangle(double x) {
  x = std::fabs(x);
  return x < 1 ? 1 - x : 0;
}

// The order of operations is part of the result: a weight that rounds the other way is another bit.
double cubic(double x) {
  constexpr double a = -0.5;
  x = std::fabs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
  return 0;
}

struct Kernel {
  double (*value)(double);
  double support;
};

Kernel kernel_of(Filter filter) {
  return filter == Filter::kBilinear ? Kernel{triangle, 1} : Kernel{cubic, 2};
}

// Cut, not rounded, below zero, as Pillow does.
std::int64_t pixel_at(double x) {
  return static_cast<std::int64_t>(std::trunc(x + 0.5));
}

std::int32_t to_fixed(double weight) {
  return static_cast<std::int32_t>(weight * (1 << kWeightBits) + (weight < 0 ? -0.5 : 0.5));
}

}  // namespace

PassWeights make_weights(const Axis& axis, Filter filter) {
  const Kernel kernel = kernel_of(filter);
  // The difference is taken in single precision, as Pillow does.
  const double scale =
      static_cast<double>(axis.end - axis.begin) / static_cast<double>(axis.result);
  const double stretch = std::max(scale, 1.0);
  const double support = kernel.support * stretch;

  PassWeights weights;
  weights.stride = static_cast<std::size_t>(
      std::min(static_cast<double>(axis.source), 2 * std::ceil(support) + 1));
  weights.taps.resize(static_cast<std::size_t>(axis.part_size));
  weights.values.resize(weights.taps.size() * weights.stride);
  std::vector<double> real(weights.stride);
  for (std::size_t i = 0; i < weights.taps.size(); ++i) {
    const auto at = static_cast<double>(axis.part_begin + static_cast<std::int64_t>(i));
    const double centre = axis.begin + (at + 0.5) * scale;
    const auto first = std::max(std::int64_t{0}, pixel_at(centre - support));
    const auto last = std::min(axis.source, pixel_at(centre + support));
    const std::int64_t count = last - first;
    double sum = 0;
    for (std::int64_t k = 0; k < count; ++k) {
      real[k] = kernel.value((static_cast<double>(k + first) - centre + 0.5) * (1 / stretch));
      sum += real[k];
    }
    for (std::int64_t k = 0; k < count; ++k) {
      weights.values[i * weights.stride + k] = to_fixed(sum != 0 ? real[k] / sum : real[k]);
    }
    weights.taps[i] = {first, count};
  }
  return weights;
}

}  // namespace openworld
