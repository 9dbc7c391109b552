#include "openworld/vlm/feature_store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "openworld/base/error.h"
#include "openworld/checkpoint/feature_file.h"
#include "openworld/io/atomic_file.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

}  // namespace

FeatureStore::FeatureStore(const std::string& folder, const Sha256Digest& kind, std::size_t width)
    : folder_(feature_folder(folder, kind)), width_(width) {
  refresh();
}

void FeatureStore::refresh() {
  for (const std::string& path : feature_files(folder_)) {
    if (read_.contains(path)) continue;
    try {
      load(path);
      read_.insert(path);
    } catch (const Error&) {
      // Somebody else's file, or one that a full disk cut: its images are encoded again.
    }
  }
}

FeatureStore::~FeatureStore() {
  try {
    flush();
  } catch (const Error&) {
  }
}

void FeatureStore::load(const std::string& path) {
  const CachedFeatures file = read_feature_file({"FeatureStore", path}, width_);
  owners_.push_back(file.values.owner);
  for (std::size_t i = 0; i < file.images.size(); ++i) {
    const std::span<const float> feature = file.feature(i);
    if (is_finite(feature)) index_.try_emplace(file.images[i], feature.data());
  }
}

const float* FeatureStore::find(const Sha256Digest& image) const {
  const auto found = index_.find(image);
  return found == index_.end() ? nullptr : found->second;
}

void FeatureStore::add(const Sha256Digest& image, std::span<const float> feature) {
  assert(is_finite(feature));
  auto kept = std::make_shared<const std::vector<float>>(feature.begin(), feature.end());
  if (!index_.try_emplace(image, kept->data()).second) return;
  owners_.push_back(kept);
  new_images_.push_back(image);
  new_features_.insert(new_features_.end(), feature.begin(), feature.end());
}

void FeatureStore::make_folder() const {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) fail("FeatureStore", fmt::format("{}: cannot be made: {}", folder_, error.message()));
  if (access(folder_.c_str(), W_OK | X_OK) != 0) {
    fail("FeatureStore", fmt::format("{}: cannot be written: {}", folder_, std::strerror(errno)));
  }
}

void FeatureStore::flush() {
  if (new_images_.empty()) return;
  make_folder();
  const std::string bytes = make_feature_file(new_images_, new_features_);
  const std::string name = feature_file_name(std::as_bytes(std::span(bytes)));
  const std::string path = (fs::path(folder_) / name).string();
  write_file_atomically(path, bytes, "FeatureStore");
  read_.insert(path);
  new_images_.clear();
  new_features_.clear();
}

}  // namespace openworld
