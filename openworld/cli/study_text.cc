#include "openworld/cli/study_text.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

Json optional_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

std::string counted_cells(std::size_t count) {
  return fmt::format("{} cell{}", count, count == 1 ? "" : "s");
}

std::string duration_text(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (whole < 120) return fmt::format("{} s", whole);
  if (whole < 7200) return fmt::format("{} min", whole / 60);
  if (whole < 2 * 86400) return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
  return fmt::format("{} days {} h", whole / 86400, whole / 3600 % 24);
}

std::string progress_text(const std::string& study, const StudyProgress& progress) {
  std::vector<std::string> counts;
  const auto count = [&](std::size_t number, const char* state) {
    if (number > 0) counts.push_back(fmt::format("{} {}", number, state));
  };
  count(progress.done, "done");
  count(progress.failed, "failed");
  count(progress.running, "running");
  count(progress.stale, "stale");
  count(progress.waiting, "waiting");
  std::string text =
      fmt::format("{}: {}: {}\n", study, counted_cells(progress.cells), fmt::join(counts, ", "));
  if (progress.damaged > 0) {
    text += fmt::format("  {} of those waiting had a damaged result\n", progress.damaged);
  }
  std::vector<std::string> times;
  if (progress.seconds_per_cell) {
    times.push_back(duration_text(*progress.seconds_per_cell) + " a cell");
  }
  if (progress.cells_per_hour) {
    times.push_back(fmt::format("{:.0f} cells an hour", *progress.cells_per_hour));
  }
  if (progress.seconds_of_work_left.value_or(0) > 0) {
    times.push_back(duration_text(*progress.seconds_of_work_left) + " of work left");
  }
  if (progress.seconds_left.value_or(0) > 0) {
    times.push_back(duration_text(*progress.seconds_left) + " to go");
  }
  if (!times.empty()) text += fmt::format("  {}\n", fmt::join(times, ", "));
  for (const FailureGroup& group : progress.failures) {
    text += fmt::format("failed: {}\n  {}", group.error, counted_cells(group.cells.size()));
    if (group.attempts > 1) text += fmt::format(", up to {} attempts", group.attempts);
    text += fmt::format(": {}{}\n", group.cells[0], group.cells.size() > 1 ? ", ..." : "");
  }
  return text;
}

Json progress_json(const std::string& study, const StudyProgress& progress) {
  Json failures = Json::array();
  for (const FailureGroup& group : progress.failures) {
    failures.push_back(
        {{"error", group.error}, {"attempts", group.attempts}, {"cells", group.cells}});
  }
  return {{"study", study},
          {"cells", progress.cells},
          {"done", progress.done},
          {"failed", progress.failed},
          {"running", progress.running},
          {"stale", progress.stale},
          {"waiting", progress.waiting},
          {"damaged", progress.damaged},
          {"seconds_per_cell", optional_json(progress.seconds_per_cell)},
          {"cells_per_hour", optional_json(progress.cells_per_hour)},
          {"seconds_of_work_left", optional_json(progress.seconds_of_work_left)},
          {"seconds_left", optional_json(progress.seconds_left)},
          {"failures", std::move(failures)}};
}

}  // namespace openworld
