#include "openworld/report/named_data.h"

#include <algorithm>
#include <filesystem>

#include "openworld/base/error.h"
#include "openworld/io/machine_error.h"
#include "openworld/runs/run_paths.h"
#include "openworld/worlds/list_sha256.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

bool is_same_path(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return fs::weakly_canonical(a, ignored) == fs::weakly_canonical(b, ignored);
}

}  // namespace

std::optional<Dataset> open_named_data(const RunFolder& run, const RunData& data,
                                       const NamedData& named) {
  const std::string& path = data.test_data.empty() ? data.path : data.test_data;
  if (is_bundled_world(path)) return open_dataset(path, {.split = data.test_split});
  const auto open = [&](const std::string& each) {
    return open_dataset(each, {.split = data.test_split,
                               .image_root = named.image_root,
                               .format = data.format,
                               .allow_duplicate_names = data.allow_duplicate_names});
  };
  const std::vector<std::string> places = path_candidates(run, path, "report");
  for (const std::string& each : named.paths) {
    const auto is_here = [&](const std::string& place) { return is_same_path(each, place); };
    if (std::ranges::any_of(places, is_here)) return open(each);
  }
  for (const std::string& each : named.paths) {
    try {
      Dataset dataset = open(each);
      if (list_sha256(dataset) == data.test_sha256) return dataset;
    } catch (const MachineError&) {
      throw;
    } catch (const Error&) {
      // Another dataset, for other runs.
    }
  }
  return std::nullopt;
}

}  // namespace openworld
