#include "openworld/cli/predictions_files.h"

#include <algorithm>
#include <filesystem>

#include "openworld/runs/run_folder.h"

namespace openworld {

Predictions load_argument(const std::string& argument, std::string_view function) {
  return load_predictions(predictions_path(argument, function));
}

std::vector<std::string> short_names(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    std::filesystem::path p(path);
    if (!p.has_filename()) p = p.parent_path();
    names.push_back(p.stem().string());
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::count(names.begin(), names.end(), names[i]) > 1) return paths;
  }
  return names;
}

}  // namespace openworld
