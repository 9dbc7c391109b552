#include "openworld/report/named_data.h"

#include <algorithm>
#include <filesystem>

namespace openworld {
namespace {

namespace fs = std::filesystem;

bool is_same_path(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return fs::weakly_canonical(a, ignored) == fs::weakly_canonical(b, ignored);
}

}  // namespace

std::optional<Dataset> open_named_data(const RunData& data, const NamedData& named) {
  const std::string& path = data.test_data.empty() ? data.path : data.test_data;
  if (is_bundled_world(path)) return open_dataset(path, {.split = data.test_split});
  const auto found = std::ranges::find_if(
      named.paths, [&](const std::string& each) { return is_same_path(each, path); });
  if (found == named.paths.end()) return std::nullopt;
  return open_dataset(*found, {.split = data.test_split,
                               .image_root = named.image_root,
                               .format = data.format,
                               .allow_duplicate_names = data.allow_duplicate_names});
}

}  // namespace openworld
