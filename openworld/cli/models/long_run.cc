#include "openworld/cli/models/long_run.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "openworld/cli/models/run_model.h"
#include "openworld/cli/one_line.h"
#include "openworld/io/origin.h"

namespace openworld {

using Json = nlohmann::ordered_json;

void say(const std::string& line) {
  std::fputs((one_line(line) + '\n').c_str(), stderr);
}

std::string duration(double seconds) {
  const auto minutes = static_cast<std::int64_t>(seconds / 60);
  if (minutes < 2) return fmt::format("{:.0f} s", seconds);
  if (minutes < 120) return fmt::format("{} min", minutes);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

void expect_same_run(const Json& was, const Json& now, const std::string& path,
                     const std::string& function) {
  for (const auto& [key, value] : now.items()) {
    const Json before = was.contains(key) ? was[key] : Json();
    if (before == value) continue;
    if (before.is_object() && value.is_object()) {
      expect_same_run(before, value, path, function);
      // The same entries in another order, or one that is there no more.
    }
    Origin{function, path}.fail(fmt::format(
        "is of a run with {} {}, not {}; give another --out, or --restart to begin anew", key,
        dump_line(before), dump_line(value)));
  }
}

}  // namespace openworld
