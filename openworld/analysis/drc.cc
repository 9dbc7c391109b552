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
  return metrics;
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
