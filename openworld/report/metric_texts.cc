#include "openworld/report/metric_texts.h"

#include <fmt/format.h>

#include "openworld/report/text_table.h"

namespace openworld {

std::string metric_result_title(const MetricResult& metric) {
  return metric_title(metric.request.row->info, metric.request.params);
}

std::string metric_value_text(const MetricResult& metric) {
  if (!metric.value.defined()) return "-";
  return metric.request.row->info.is_count ? fmt::format("{:.0f}", metric.value.value)
                                           : percent(metric.value.value);
}

std::string metric_interval_text(const MetricResult& metric) {
  if (!metric.interval) return "";
  const auto [low, high] = std::pair(metric.interval->low, metric.interval->high);
  if (metric.request.row->info.is_count) return fmt::format("[{:.0f}, {:.0f}]", low, high);
  return fmt::format("[{}, {}]", percent(low), percent(high));
}

std::string metric_reach_text(const MetricResult& metric) {
  if (!metric.interval || metric.request.row->info.is_count) return "";
  return fmt::format(" \u00b1{}", percent((metric.interval->high - metric.interval->low) / 2));
}

bool is_best(std::span<const Evaluation* const> all, std::size_t evaluation, std::size_t metric) {
  const MetricResult& mine = all[evaluation]->metrics[metric];
  if (!mine.value.defined()) return false;
  for (const Evaluation* other : all) {
    const MetricValue& value = other->metrics[metric].value;
    if (!value.defined()) continue;
    const double lead = mine.value.value - value.value;
    if (mine.request.row->info.higher_is_better ? lead < 0 : lead > 0) return false;
  }
  return true;
}

}  // namespace openworld
