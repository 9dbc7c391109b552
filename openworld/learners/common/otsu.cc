#include "openworld/learners/common/otsu.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "openworld/base/error.h"

namespace openworld {

double otsu_threshold(std::span<const float> values) {
  if (values.empty()) fail("otsu_threshold", "no values, expected at least one");
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  const double low = *least, high = *greatest;
  if (low == high) return low;
  constexpr std::size_t kBins = 256;
  const double step = (high - low) / kBins;
  const auto edge = [&](std::size_t i) { return low + static_cast<double>(i) * step; };
  const auto centre = [&](std::size_t i) { return (edge(i) + edge(i + 1)) / 2; };
  std::array<double, kBins> count{};
  for (const float value : values) {
    // As numpy.histogram: by division, then put right against the edges themselves.
    auto bin = std::min(static_cast<std::size_t>((value - low) / (high - low) * kBins), kBins - 1);
    if (bin > 0 && value < edge(bin)) --bin;
    if (bin + 1 < kBins && value >= edge(bin + 1)) ++bin;
    ++count[bin];
  }
  double total = 0, sum = 0;
  for (std::size_t i = 0; i < kBins; ++i) {
    total += count[i];
    sum += count[i] * centre(i);
  }
  double below = 0, sum_below = 0, best = -1, threshold = low;
  for (std::size_t i = 0; i + 1 < kBins; ++i) {
    below += count[i];
    sum_below += count[i] * centre(i);
    const double above = total - below;
    const double gap = sum_below / below - (sum - sum_below) / above;
    const double between = below * above * gap * gap;
    if (between > best) {
      best = between;
      threshold = centre(i);
    }
  }
  return threshold;
}

}  // namespace openworld
