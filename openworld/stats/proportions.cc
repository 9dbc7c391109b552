#include "openworld/stats/proportions.h"

#include <fmt/format.h>

#include <string_view>

#include "openworld/base/error.h"
#include "openworld/stats/distributions.h"

namespace openworld {
namespace {

void check_proportion(std::string_view function, std::int64_t k, std::int64_t n, double level) {
  if (n < 1) fail(function, fmt::format("n is {}; expected at least one trial", n));
  if (k < 0 || k > n) fail(function, fmt::format("k is {}; expected 0 to n = {}", k, n));
  if (!(level > 0 && level < 1)) {
    fail(function, fmt::format("level is {}; expected a number between 0 and 1", level));
  }
}

}  // namespace

Bounds clopper_pearson_interval(std::int64_t k, std::int64_t n, double level) {
  check_proportion("clopper_pearson_interval", k, n, level);
  const double tail = 0.5 * (1 - level);
  const double hits = static_cast<double>(k), misses = static_cast<double>(n - k);
  // The upper end is 1 minus the lower end of the misses: no quantile is taken near 1.
  const double low = k == 0 ? 0 : beta_quantile(tail, hits, misses + 1);
  const double high = k == n ? 1 : 1 - beta_quantile(tail, misses, hits + 1);
  return {low, high};
}

Bounds wilson_interval(std::int64_t k, std::int64_t n, double level) {
  check_proportion("wilson_interval", k, n, level);
  const double z = -normal_quantile(0.5 * (1 - level));
  const double trials = static_cast<double>(n), p = static_cast<double>(k) / trials;
  const double centre = p + z * z / (2 * trials);
  const double half = z * std::sqrt(p * (1 - p) / trials + z * z / (4 * trials * trials));
  const double scale = 1 + z * z / trials;
  return {k == 0 ? 0 : std::max(0.0, (centre - half) / scale),
          k == n ? 1 : std::min(1.0, (centre + half) / scale)};
}

Proportion wilson_proportion(std::int64_t right, std::int64_t total, double level) {
  const auto [low, high] = wilson_interval(right, total, level);
  return {static_cast<double>(right) / static_cast<double>(total), low, high};
}

}  // namespace openworld
