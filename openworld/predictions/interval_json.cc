#include "openworld/predictions/interval_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "openworld/io/json_fields.h"

namespace openworld {
namespace {

// An Interval refers to its method, which must therefore outlive it: these do.
constexpr std::string_view kMethods[] = {"delong",        "delong_clustered",
                                         "wilson",        "square-and-add",
                                         "bootstrap_bca", "bootstrap_percentile",
                                         "paired_normal", "two_way_bootstrap",
                                         "student_t",     "t"};

double required_number(const JsonFields& fields, std::string_view key) {
  if (!fields.has(key)) fields.fail(key, "a number");
  return fields.number(key, 0);
}

}  // namespace

nlohmann::ordered_json interval_json(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return {{"low", interval->low},
          {"high", interval->high},
          {"level", interval->level},
          {"method", interval->method}};
}

std::optional<Interval> read_interval(const JsonFields& fields, std::string_view key) {
  if (!fields.has(key)) return std::nullopt;
  const JsonFields stored = fields.object(key);
  Interval interval{.low = required_number(stored, "low"),
                    .high = required_number(stored, "high"),
                    .level = required_number(stored, "level")};
  if (!(interval.low <= interval.high)) {
    stored.fail("high", fmt::format("at least low, {}", interval.low));
  }
  if (!(interval.level > 0 && interval.level < 1)) stored.fail("level", "between 0 and 1");
  const auto method = std::ranges::find(kMethods, stored.text("method", ""));
  if (method == std::end(kMethods)) {
    stored.fail("method", fmt::format("one of {}", fmt::join(kMethods, ", ")));
  }
  interval.method = *method;
  return interval;
}

}  // namespace openworld
