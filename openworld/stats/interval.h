#pragma once

// A confidence interval of a statistic, with how it was found.

#include <string_view>

namespace openworld {

struct Interval {
  double low = 0;
  double high = 0;
  double level = 0;
  std::string_view method{};  // "delong", "wilson", "square-and-add", "bootstrap_bca", ...
};

}  // namespace openworld
