#pragma once

// The description of a metric, independent of its input (rankings here, boxes elsewhere). Listings,
// help, docs, tables and Python print it.

#include <array>
#include <string>
#include <string_view>

namespace openworld {

struct MetricInfo {
  std::string_view name;          // each {} stands for a parameter in percent: fpr_at_{}tpr
  std::string_view aliases = "";  // comma separated
  std::string_view family;
  std::string_view title;     // for people; with the same {} as the name
  std::string_view brief;     // one line, no full stop
  std::string_view citation;  // authors, short title, venue and year
  bool higher_is_better = true;
  std::array<double, 2> params = {};  // defaults, as many as the name has {}
  bool standard = false;              // part of the default set of `eval`
  bool is_count = false;              // a count, not a fraction in [0, 1]
};

// The name with `params` in place of {}: percent, without trailing zeros.
std::string metric_name(const MetricInfo& info, const std::array<double, 2>& params);

// The same for the title: "FPR at 95 % TPR".
std::string metric_title(const MetricInfo& info, const std::array<double, 2>& params);

}  // namespace openworld
