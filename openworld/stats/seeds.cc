#include "openworld/stats/seeds.h"

#include <fmt/format.h>

#include <cmath>

#include "openworld/base/error.h"
#include "openworld/stats/distributions.h"

namespace openworld {

SeedSummary summarize_seeds(std::span<const double> values, double level) {
  if (values.empty()) fail("summarize_seeds", "no values; expected one per seed");
  if (!(level > 0 && level < 1)) {
    fail("summarize_seeds", fmt::format("level is {}; expected a number between 0 and 1", level));
  }
  const auto n = static_cast<double>(values.size());
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      fail("summarize_seeds",
           fmt::format("value[{}] is {}; expected a finite number", i, values[i]));
    }
    sum += values[i] / n;
  }
  // A second pass takes out what rounding left in the first mean; three equal values have sd 0.
  double rest = 0;
  for (const double x : values) rest += x - sum;
  SeedSummary summary{.seeds = values.size(), .mean = sum + rest / n, .level = level};
  if (values.size() == 1) {
    summary.undefined = "one seed has no spread; an interval needs at least two";
    return summary;
  }
  double squares = 0;
  for (const double x : values) squares += (x - summary.mean) * (x - summary.mean);
  summary.sd = std::sqrt(squares / (n - 1));
  summary.standard_error = *summary.sd / std::sqrt(n);
  const double half = -student_t_quantile(0.5 * (1 - level), n - 1) * *summary.standard_error;
  summary.interval = Bounds{summary.mean - half, summary.mean + half};
  return summary;
}

}  // namespace openworld
