#include "openworld/analysis/drc.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "openworld/base/error.h"

namespace openworld {
namespace {

void check_levels(std::string_view function, std::span<const double> levels) {
  if (levels.size() < 2) {
    fail(function, fmt::format("{} levels; a curve needs at least 2", levels.size()));
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (!(levels[i] >= 0 && levels[i] <= 1)) {
      fail(function, fmt::format("level[{}] is {}; expected 0 to 1", i, levels[i]));
    }
    if (i > 0 && !(levels[i] > levels[i - 1])) {
      fail(function, fmt::format("level[{}] is {} after {}; expected increasing levels", i,
                                 levels[i], levels[i - 1]));
    }
  }
}

void check_accuracies(std::string_view function, std::string_view name,
                      std::span<const double> accuracies, std::size_t levels) {
  if (accuracies.size() != levels) {
    fail(function, fmt::format("{} has {} values; expected {}, one per level", name,
                               accuracies.size(), levels));
  }
  for (std::size_t i = 0; i < levels; ++i) {
    if (!(accuracies[i] >= 0 && accuracies[i] <= 1)) {
      fail(function,
           fmt::format("{}[{}] is {}; expected a fraction, 0 to 1", name, i, accuracies[i]));
    }
  }
}

// f(t) linear between the levels; 0 outside them.
double at(std::span<const double> levels, std::span<const double> values, double t) {
  if (t < levels.front() || t > levels.back()) return 0;
  const auto right =
      std::clamp<std::ptrdiff_t>(std::upper_bound(levels.begin(), levels.end(), t) - levels.begin(),
                                 1, std::ssize(levels) - 1);
  const double share = (t - levels[right - 1]) / (levels[right] - levels[right - 1]);
  return values[right - 1] + share * (values[right] - values[right - 1]);
}

// Pearson's correlation of t, uniform on the covered range, with the accuracy. Deviations are taken
// first, so that nothing cancels; on a piece both are linear, and their products are integrated
// exactly.
std::optional<double> correlation(std::span<const double> levels,
                                  std::span<const double> accuracies, double mean) {
  const double middle = 0.5 * (levels.front() + levels.back());
  const double range = levels.back() - levels.front();
  double covariance = 0, variance = 0;
  for (std::size_t i = 1; i < levels.size(); ++i) {
    const double weight = (levels[i] - levels[i - 1]) / range / 6;
    const double t0 = levels[i - 1] - middle, t1 = levels[i] - middle;
    const double a0 = accuracies[i - 1] - mean, a1 = accuracies[i] - mean;
    covariance += weight * (2 * t0 * a0 + 2 * t1 * a1 + t0 * a1 + t1 * a0);
    variance += weight * 2 * (a0 * a0 + a0 * a1 + a1 * a1);
  }
  const auto [low, high] = std::minmax_element(accuracies.begin(), accuracies.end());
  if (*low == *high) return std::nullopt;
  return std::clamp(covariance / std::sqrt(variance * range * range / 12), -1.0, 1.0);
}

void check_density(const LevelDensity& density) {
  check_levels("expected_accuracy", density.levels);
  if (density.weights.size() != density.levels.size()) {
    fail("expected_accuracy", fmt::format("the density has {} weights; expected {}, one per level",
                                          density.weights.size(), density.levels.size()));
  }
  for (std::size_t i = 0; i < density.weights.size(); ++i) {
    if (!(density.weights[i] >= 0 && std::isfinite(density.weights[i]))) {
      fail("expected_accuracy",
           fmt::format("weight[{}] of the density is {}; expected a finite number, 0 or more", i,
                       density.weights[i]));
    }
  }
}

}  // namespace

DrcMetrics drc_metrics(std::span<const double> levels, std::span<const double> accuracies) {
  check_levels("drc_metrics", levels);
  check_accuracies("drc_metrics", "accuracy", accuracies, levels.size());
  const double range = levels.back() - levels.front();
  const double mean_slope = (accuracies.back() - accuracies.front()) / range;

  DrcMetrics metrics;
  if (levels.front() == 0) metrics.acc0 = accuracies.front();
  metrics.wa = *std::min_element(accuracies.begin(), accuracies.end());
  for (std::size_t i = 1; i < levels.size(); ++i) {
    const double width = levels[i] - levels[i - 1];
    const double weight = width / range;
    const double change = accuracies[i] - accuracies[i - 1];
    const double surprise = change / width - mean_slope;
    metrics.auc += weight * 0.5 * (accuracies[i] + accuracies[i - 1]);
    metrics.evm += std::abs(change) / range;
    metrics.vs += weight * surprise * surprise;
  }
  metrics.rcc = correlation(levels, accuracies, metrics.auc);
  return metrics;
}

double expected_accuracy(std::span<const double> levels, std::span<const double> accuracies,
                         const LevelDensity& density) {
  check_levels("expected_accuracy", levels);
  check_accuracies("expected_accuracy", "accuracy", accuracies, levels.size());
  check_density(density);
  // Where curve and density are both linear, the integral of their product is that of a parabola.
  std::vector<double> ends(levels.begin(), levels.end());
  for (const double t : density.levels) {
    if (t > levels.front() && t < levels.back()) ends.push_back(t);
  }
  std::sort(ends.begin(), ends.end());
  double total = 0, sum = 0;
  for (std::size_t i = 1; i < ends.size(); ++i) {
    const double left = ends[i - 1], right = ends[i], middle = 0.5 * (left + right);
    if (middle < density.levels.front() || middle > density.levels.back()) continue;
    const double p0 = at(density.levels, density.weights, left),
                 p = at(density.levels, density.weights, middle),
                 p1 = at(density.levels, density.weights, right);
    total += (right - left) * p;
    sum += (right - left) / 6 *
           (p0 * at(levels, accuracies, left) + 4 * p * at(levels, accuracies, middle) +
            p1 * at(levels, accuracies, right));
  }
  if (!(total > 0)) {
    fail("expected_accuracy", fmt::format("the density is 0 from {} to {}; expected a positive one",
                                          levels.front(), levels.back()));
  }
  return sum / total;
}

DrcAreas drc_areas(std::span<const double> levels, std::span<const double> accuracies,
                   std::span<const double> zero_shot) {
  check_levels("drc_areas", levels);
  check_accuracies("drc_areas", "accuracy", accuracies, levels.size());
  check_accuracies("drc_areas", "zero_shot", zero_shot, levels.size());
  const double range = levels.back() - levels.front();

  DrcAreas areas;
  for (std::size_t i = 1; i < levels.size(); ++i) {
    const double weight = (levels[i] - levels[i - 1]) / range;
    const double left = accuracies[i - 1] - zero_shot[i - 1];
    const double right = accuracies[i] - zero_shot[i];
    const double up = std::max(left, 0.0) + std::max(right, 0.0);
    const double down = std::max(-left, 0.0) + std::max(-right, 0.0);
    if (up + down == 0) continue;
    // A segment that crosses is two triangles whose bases share the width as up to down; one that
    // does not cross has up or down 0 and is a trapezoid.
    areas.positive += weight * 0.5 * up * (up / (up + down));
    areas.negative += weight * 0.5 * down * (down / (up + down));
  }
  return areas;
}

double delta_auc(std::span<const double> auc, std::span<const double> zero_shot_auc) {
  if (auc.empty()) fail("delta_auc", "no worlds; expected at least one");
  if (auc.size() != zero_shot_auc.size()) {
    fail("delta_auc", fmt::format("{} worlds and {} zero-shot values; expected as many", auc.size(),
                                  zero_shot_auc.size()));
  }
  double sum = 0;
  for (std::size_t i = 0; i < auc.size(); ++i) {
    const double gain = auc[i] - zero_shot_auc[i];
    if (!std::isfinite(gain)) {
      fail("delta_auc", fmt::format("world {} has AUC {} and zero-shot {}; expected finite numbers",
                                    i, auc[i], zero_shot_auc[i]));
    }
    sum += gain;
  }
  return sum / static_cast<double>(auc.size());
}

double delta_pn(std::span<const DrcAreas> areas) {
  if (areas.empty()) fail("delta_pn", "no worlds; expected at least one");
  double sum = 0;
  for (const DrcAreas& area : areas) sum += area.positive - area.negative;
  return sum / static_cast<double>(areas.size());
}

}  // namespace openworld
