#include "openworld/report/sample_size_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace openworld {
namespace {

constexpr int kPoints = 240;
constexpr std::size_t kMostLines = 4;  // of seeds
constexpr double kToPoints = 100;      // fractions to percentage points

double total(const StudySize& size) {
  return static_cast<double>(size.base) + static_cast<double>(size.other);
}

std::string seeds_name(std::size_t seeds) {
  return seeds == 1 ? "one seed" : fmt::format("{} seeds", seeds);
}

// The plan's seeds, then others.
std::vector<std::size_t> seeds_of_lines(const SampleSize& result) {
  std::vector<std::size_t> seeds = {result.plan.size.seeds};
  for (const PlannedStudy& study : result.by_seeds) {
    if (seeds.size() < kMostLines && study.size.seeds != seeds[0]) {
      seeds.push_back(study.size.seeds);
    }
  }
  return seeds;
}

// The plan with its free sides scaled by `factor`.
StudySize scaled(const SampleSizeRequest& request, StudySize size, double factor) {
  const bool all_fixed = request.base && request.other;
  const auto scale = [&](std::int64_t n, bool fixed) {
    if (n == 0 || (fixed && !all_fixed)) return n;
    return std::max<std::int64_t>(2, std::llround(factor * static_cast<double>(n)));
  };
  return {scale(size.base, request.base.has_value()), scale(size.other, request.other.has_value()),
          size.seeds};
}

}  // namespace

Plot sample_size_plot(const VarianceComponents& pilot, const SampleSizeRequest& request,
                      const SampleSize& result) {
  const double widest = 1.3 * std::max(result.pilot.half_width, 2 * request.half_width);
  StudySize pilot_size = result.pilot.size;
  if (result.plan.size.base == 0) pilot_size.base = 0;
  if (result.plan.size.other == 0) pilot_size.other = 0;
  const double last = 1.25 * std::max(total(result.plan.size), total(pilot_size));
  const double most = last / total(result.plan.size);
  Plot plot{.title = fmt::format("Interval of {}",
                                 metric_title(pilot.request.row->info, pilot.request.params)),
            .x_title = "test samples",
            .y_title = fmt::format("half-width at {:g} %, percentage points", request.level * 100),
            .lines = {},
            .x = round_range(0, last),
            .y = round_range(0, kToPoints * widest)};
  std::vector<PlotLine> bounds = {{"low", {}, {}, 0}, {"high", {}, {}, 0}};
  for (const std::size_t seeds : seeds_of_lines(result)) {
    PlotLine line{seeds_name(seeds), {}, {}};
    for (int i = 1; i <= kPoints; ++i) {
      StudySize size = scaled(request, result.plan.size, most * i / kPoints);
      size.seeds = seeds;
      const PlannedStudy study = predict_study(pilot, size, request.level);
      const auto add = [&](PlotLine& to, double half) {
        if (half > widest) return;
        to.x.push_back(total(size));
        to.y.push_back(kToPoints * half);
      };
      add(line, study.half_width);
      if (seeds != result.plan.size.seeds) continue;
      add(bounds[0], study.range.low);
      add(bounds[1], study.range.high);
    }
    plot.lines.push_back(std::move(line));
  }
  const double asked = kToPoints * request.half_width;
  plot.lines.push_back({fmt::format("asked for: \u00b1{:.3g}", asked), {0, last}, {asked, asked}});
  plot.lines.insert(plot.lines.end(), bounds.begin(), bounds.end());
  plot.marks = {{"pilot", total(pilot_size), kToPoints * result.pilot.half_width, 0},
                {"plan", total(result.plan.size), kToPoints * result.plan.half_width, 0}};
  return plot;
}

}  // namespace openworld
