#include "openworld/metrics/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "openworld/base/error.h"
#include "openworld/base/nearest_name.h"
#include "openworld/metrics/accuracy.h"
#include "openworld/metrics/aupr.h"
#include "openworld/metrics/auroc.h"
#include "openworld/metrics/detection_acc.h"
#include "openworld/metrics/error_at_tpr.h"
#include "openworld/metrics/fpr_at_tpr.h"
#include "openworld/metrics/hit_at_miss.h"
#include "openworld/metrics/hm.h"
#include "openworld/metrics/normalised_accuracy.h"
#include "openworld/metrics/open_auc.h"
#include "openworld/metrics/open_set_f.h"
#include "openworld/metrics/openworld_auc.h"
#include "openworld/metrics/oscr.h"
#include "openworld/metrics/overall_acc.h"
#include "openworld/metrics/partial_openworld_auc.h"
#include "openworld/metrics/per_class.h"
#include "openworld/metrics/precision_at_recall.h"
#include "openworld/metrics/recall_at_precision.h"
#include "openworld/metrics/tp_ose.h"
#include "openworld/metrics/youden.h"

namespace openworld {
namespace {

constexpr const MetricRow* kTable[] = {
    &kOpenworldAuc,
    &kOpenAuc,
    &kAuroc,
    &kOscr,
    &kBaseAcc,
    &kNewAcc,
    &kHm,
    &kOverallAcc,
    &kAuprBase,
    &kAuprNew,
    &kFprAtTpr,
    &kFprAtTprNew,
    &kAuprBaseTrapezoid,
    &kAuprNewTrapezoid,
    &kDetectionAcc,
    &kErrorAtTpr,
    &kPrecisionAtRecall,
    &kPrecisionAtRecallExact,
    &kRecallAtPrecision,
    &kRecallAtPrecisionExact,
    &kPartialOpenworldAuc,
    &kTwoWayOpenworldAuc,
    &kHitAtMiss,
    &kMeanClassAccBase,
    &kMeanClassAccNew,
    &kOpenFMacro,
    &kOpenFMicro,
    &kNormalisedAcc,
    &kAks,
    &kAus,
    &kYoudenJ,
    &kTpCount,
    &kOseCount,
};

MetricRequest request(const MetricRow& row, const std::array<double, 2>& params) {
  return {&row, params, metric_name(row.info, params)};
}

// The parameters in `name` if it has the shape of `pattern`: literal text with percents at each {}.
std::optional<std::array<double, 2>> match(std::string_view pattern, std::string_view name) {
  std::array<double, 2> params{};
  std::size_t used = 0;
  while (true) {
    const std::size_t hole = pattern.find("{}");
    const std::string_view literal = pattern.substr(0, hole);
    if (!name.starts_with(literal)) return std::nullopt;
    name.remove_prefix(literal.size());
    if (hole == std::string_view::npos) break;
    double percent = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), percent);
    if (error != std::errc() || !(percent >= 0 && percent <= 100)) return std::nullopt;
    params.at(used++) = percent / 100;
    name.remove_prefix(static_cast<std::size_t>(end - name.data()));
    pattern.remove_prefix(hole + 2);
  }
  if (!name.empty()) return std::nullopt;
  return params;
}

template <class F>
void for_each_item(std::string_view list, const F& f) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    std::string_view item = list.substr(0, comma);
    while (item.starts_with(' ')) item.remove_prefix(1);
    while (item.ends_with(' ')) item.remove_suffix(1);
    f(item);
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

std::span<const MetricRow* const> metric_table() {
  return kTable;
}

MetricRequest find_metric(std::string_view name) {
  for (const MetricRow* row : kTable) {
    if (const auto params = match(row->info.name, name)) return request(*row, *params);
    bool is_alias = false;
    for_each_item(row->info.aliases, [&](std::string_view alias) { is_alias |= alias == name; });
    if (is_alias) return request(*row, row->info.params);
  }
  std::vector<std::string> known;
  for (const MetricRow* row : kTable) known.push_back(metric_name(row->info, row->info.params));
  fail("metrics", fmt::format("unknown metric '{}'; {}`openworld ls metrics` lists them all", name,
                              did_you_mean(name, known)));
}

std::vector<MetricRequest> find_metrics(std::string_view names) {
  std::vector<MetricRequest> requests;
  const auto add = [&](MetricRequest wanted) {
    const auto same = [&](const MetricRequest& r) { return r.name == wanted.name; };
    if (std::none_of(requests.begin(), requests.end(), same)) requests.push_back(std::move(wanted));
  };
  for_each_item(names, [&](std::string_view name) {
    if (name == "standard" || name == "all") {
      for (const MetricRow* row : kTable) {
        if (name == "all" || row->info.standard) add(request(*row, row->info.params));
      }
    } else {
      add(find_metric(name));
    }
  });
  if (requests.empty()) fail("metrics", "no metric named; expected names, `standard` or `all`");
  return requests;
}

}  // namespace openworld
