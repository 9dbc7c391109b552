#include "openworld/checkpoint/bundled_models.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <vector>

#include "openworld/base/nearest_name.h"
#include "openworld/io/data_folder.h"

namespace openworld {
namespace {

constexpr std::array kModels = {
    BundledModel{"pocket", "knows names from icons, and drawings without their names"},
};

}  // namespace

std::span<const BundledModel> bundled_models() {
  return kModels;
}

std::string find_bundled_model(const std::string& path) {
  namespace fs = std::filesystem;
  const bool known =
      std::ranges::any_of(kModels, [&](const auto& row) { return row.name == path; });
  std::error_code ignored;
  if (!known || fs::exists(path, ignored)) return path;
  return (fs::path(data_folder()) / path).string();
}

std::string nearest_bundled_model(std::string_view name) {
  std::vector<std::string> known;
  for (const BundledModel& row : kModels) known.emplace_back(row.name);
  return nearest_name(name, known);
}

}  // namespace openworld
