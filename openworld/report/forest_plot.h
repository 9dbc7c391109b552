#pragma once

// Differences with their intervals, a row for each, beside a line at zero.

#include <optional>
#include <string>
#include <vector>

#include "openworld/stats/interval.h"

namespace openworld {

struct ForestRow {
  std::string name;
  int method = 0;  // whose colour it has and with which it is hidden
  double difference = 0;
  std::optional<Interval> interval{};
  bool significant = false;  // filled, else outlined
  bool part = false;         // of the row above: smaller, its name set in
};

struct Forest {
  std::string title;    // the accessible description
  std::string x_title;  // "points", "images"
  double scale = 100;   // of what people see
  std::vector<ForestRow> rows;
};

// For a page. REQUIRES: a row.
std::string svg(const Forest& forest);

}  // namespace openworld
