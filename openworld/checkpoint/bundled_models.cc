#include "openworld/checkpoint/bundled_models.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

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

}  // namespace openworld
