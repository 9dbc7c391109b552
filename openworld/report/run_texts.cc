#include "openworld/report/run_texts.h"

#include <fmt/format.h>

#include "openworld/report/text_table.h"

namespace openworld {
namespace {

std::string count_of(std::size_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

std::string seeds_text(const std::vector<std::uint64_t>& seeds) {
  if (seeds.size() == 1) return fmt::format("seed {}", seeds[0]);
  if (seeds.back() - seeds[0] == seeds.size() - 1) {
    return fmt::format("seeds {} to {}", seeds[0], seeds.back());
  }
  return fmt::format("seeds {}", fmt::join(seeds, ", "));
}

}  // namespace

std::string describe_runs(const RunCollection& runs, const RunComparison& comparison) {
  std::string text =
      fmt::format("{} on {}, {}", count_of(runs.labels.size(), "method"),
                  count_of(runs.datasets.size(), "dataset"), count_of(runs.runs.size(), "run"));
  bool same = true;
  for (const auto& seeds : comparison.seeds) same = same && seeds == comparison.seeds[0];
  return same ? text + "; " + seeds_text(comparison.seeds[0]) : text;
}

std::string run_value_text(const MetricRequest& request, const RunMean& mean) {
  if (!mean.defined()) return "-";
  return request.row->info.is_count ? fmt::format("{:.1f}", mean.value) : percent(mean.value);
}

std::string run_difference_text(const MetricRequest& request, double difference) {
  return request.row->info.is_count ? fmt::format("{:+.1f}", difference)
                                    : fmt::format("{:+.2f}", difference * 100);
}

std::string run_reach_text(const MetricRequest& request, const std::optional<Interval>& interval) {
  if (!interval) return "";
  const double reach = (interval->high - interval->low) / 2;
  return request.row->info.is_count ? fmt::format(" ±{:.1f}", reach)
                                    : fmt::format(" ±{}", percent(reach));
}

std::string run_interval_text(const MetricRequest& request,
                              const std::optional<Interval>& interval) {
  if (!interval) return "";
  return fmt::format("[{}, {}]", run_difference_text(request, interval->low),
                     run_difference_text(request, interval->high));
}

}  // namespace openworld
