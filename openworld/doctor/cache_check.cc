// Damage in the cache of a model's features.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "openworld/base/error.h"
#include "openworld/checkpoint/feature_file.h"
#include "openworld/doctor/check.h"
#include "openworld/doctor/fix_command.h"
#include "openworld/io/mapped_file.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

// What is wrong with a file of features; "" if nothing is.
std::string damage_of(const std::string& path, std::size_t width) {
  const Origin origin{"doctor", path};
  try {
    const CachedFeatures file = read_feature_file(origin, width);
    for (std::size_t i = 0; i < file.images.size(); ++i) {
      if (!is_finite(file.feature(i))) return fmt::format("feature {} is not finite", i);
    }
    const std::string hash = feature_file_name(map_file(origin).values);
    const std::string name = fs::path(path).filename().string();
    if (hash != name) return "its contents are not those that its name is the hash of";
  } catch (const Error& e) {
    return std::string(e.message());
  }
  return "";
}

std::string cache_folder(const Patient& patient) {
  const FeatureCacheSpec& cache = patient.options.cache;
  return cache.folder.empty() ? default_feature_folder() : cache.folder;
}

std::vector<Finding> look_at_cache(const Patient& patient) {
  const std::string folder = feature_folder(cache_folder(patient), feature_kind(*patient.model));
  const auto width = static_cast<std::size_t>(patient.model->config().embed);
  Finding finding;
  std::vector<std::string> files;
  for (const std::string& path : feature_files(folder)) {
    const std::string damage = damage_of(path, width);
    if (damage.empty()) continue;
    files.push_back(path);
    finding.examples.push_back(damage.starts_with(path) ? damage
                                                        : fmt::format("{}: {}", path, damage));
  }
  if (files.empty()) return {};
  finding.what =
      fmt::format("{} file{} of features in {} {} damaged", files.size(),
                  files.size() == 1 ? "" : "s", folder, files.size() == 1 ? "is" : "are");
  finding.means =
      "features that can be read are used as they are, so that results may be of damaged ones; "
      "the others are encoded again at every run";
  finding.fix = "rm";
  for (const std::string& file : files) finding.fix += " " + shell_word(file);
  return {finding};
}

}  // namespace

const DoctorCheck kCacheDamage = {
    "cache-damage", "model", "files of cached features that are cut, changed or not finite",
    [](const Patient& patient) {
      return patient.model && !patient.options.cache.off && !cache_folder(patient).empty();
    },
    look_at_cache};

}  // namespace openworld
