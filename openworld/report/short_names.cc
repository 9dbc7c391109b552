#include "openworld/report/short_names.h"

#include <algorithm>
#include <filesystem>

namespace openworld {

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
