#include "openworld/learners/common/initial_values.h"

#include <ATen/ops/empty.h>

#include <cmath>
#include <functional>

#include "openworld/base/random.h"
#include "openworld/vlm/clip.h"

namespace openworld {
namespace {

using at::Tensor;

Tensor filled(at::IntArrayRef shape, const std::function<double()>& draw) {
  Tensor result = at::empty(shape, at::kFloat);
  float* const values = result.data_ptr<float>();
  for (std::int64_t i = 0; i < result.numel(); ++i) values[i] = static_cast<float>(draw());
  return result;
}

}  // namespace

Tensor normal_values(at::IntArrayRef shape, std::uint64_t seed, std::uint64_t stream) {
  constexpr double kDeviation = 0.02;
  Random random(seed, stream);
  return filled(shape, [&] { return kDeviation * random.normal(); });
}

Tensor uniform_values(at::IntArrayRef shape, double bound, std::uint64_t seed,
                      std::uint64_t stream) {
  Random random(seed, stream);
  return filled(shape, [&] { return bound * (2 * random.uniform() - 1); });
}

Tensor unit_rows(std::int64_t rows, std::int64_t width, std::uint64_t seed, std::uint64_t stream) {
  return normalized(normal_values({rows, width}, seed, stream));
}

LinearValues linear_values(std::int64_t inputs, std::int64_t outputs, std::uint64_t seed,
                           std::uint64_t stream) {
  const double bound = 1 / std::sqrt(static_cast<double>(inputs));
  Random random(seed, stream);
  const auto draw = [&] { return bound * (2 * random.uniform() - 1); };
  LinearValues values;
  values.weight = filled({outputs, inputs}, draw);
  values.bias = filled({outputs}, draw);
  return values;
}

}  // namespace openworld
