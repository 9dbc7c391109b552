#include "openworld/report/report_files.h"

#include <fmt/format.h>

#include <algorithm>

namespace openworld {

std::vector<ReportFile> open_report_files(const std::vector<std::string>& paths,
                                          const std::vector<std::string>& labels) {
  std::vector<ReportFile> files;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    ReportFile& file = files.emplace_back();
    file.path = paths[i];
    file.label = labels[i];
    file.predictions = load_predictions(paths[i]);
    file.open_set = open_set_origin(file.predictions);
  }
  return files;
}

std::string describe_files(std::span<const ReportFile> files) {
  const auto tests = std::ranges::count_if(files, [](const auto& f) { return bool(f.open_set); });
  const auto others = std::ssize(files) - tests;
  std::string text;
  const auto add = [&](std::ptrdiff_t count, const char* what) {
    if (count == 0) return;
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", count, what, count == 1 ? "" : "s");
  };
  add(tests, "open-set test");
  add(others, "prediction file");
  return text;
}

}  // namespace openworld
