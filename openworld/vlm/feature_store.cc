#include "openworld/vlm/feature_store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "openworld/base/error.h"
#include "openworld/io/atomic_file.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/npy_values.h"
#include "openworld/io/npz.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

constexpr auto kFunction = "FeatureStore";

// To be raised whenever an image's feature changes in any bit, or runs would depend on what an
// older program left in the cache. 2: each image is encoded by itself.
constexpr int kFeatureVersion = 2;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span<const char>(text));
}

}  // namespace

bool is_finite(std::span<const float> feature) {
  return std::all_of(feature.begin(), feature.end(), [](float x) { return std::isfinite(x); });
}

Sha256Digest feature_kind(const ClipCheckpoint& checkpoint) {
  const ClipConfig& config = checkpoint.config();
  const Preprocessing& p = config.preprocessing;
  // Beside the weights, all that their shapes do not fix.
  std::string text = fmt::format(
      "openworld features {}\nweights {}\nheads {}\nactivation {}\neps {}\nsize {} bicubic\n"
      "mean {}\nstd {}\n",
      kFeatureVersion, hex_text(checkpoint.sha256()), config.vision.heads,
      activation_name(config.activation), config.layer_norm_eps, p.image_size,
      fmt::join(p.mean, " "), fmt::join(p.std, " "));
  for (const StemLayer& layer : config.stem) text += fmt::format("stem stride {}\n", layer.stride);
  return sha256(bytes_of(text));
}

FeatureStore::FeatureStore(const std::string& folder, const Sha256Digest& kind, std::size_t width)
    : folder_((fs::path(folder) / hex_text(kind).substr(0, 32)).string()), width_(width) {
  refresh();
}

void FeatureStore::refresh() {
  std::error_code error;
  for (fs::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
    const fs::path& path = it->path();
    if (path.extension() != ".npz" || read_.contains(path.string())) continue;
    try {
      load(path.string());
      read_.insert(path.string());
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
  const Origin origin = {kFunction, path};
  const ZipArchive archive(map_file(origin), origin);
  const auto images = read_npz_array(archive, "images");
  const auto features = read_npz_array(archive, "features");
  if (!images || !features) origin.fail("expected the arrays images and features");
  const std::size_t count = images->header.shape.empty() ? 0 : images->header.shape[0];
  const std::vector<std::size_t> image_shape = {count, sizeof(Sha256Digest)};
  const std::vector<std::size_t> feature_shape = {count, width_};
  const Dtype& dtype = features->header.dtype;
  if (images->header.shape != image_shape || images->header.dtype.size != 1 ||
      features->header.shape != feature_shape || dtype.kind != Dtype::Kind::kFloat ||
      dtype.size != sizeof(float)) {
    origin.fail("expected 32 bytes and one feature per image");
  }
  const FloatColumn values = to_floats(*features, origin);
  const auto& floats = std::get<Column<float>>(values);
  owners_.push_back(floats.owner);
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_finite(floats.values.subspan(i * width_, width_))) continue;
    Sha256Digest image;
    std::memcpy(image.data(), images->data.values.data() + i * image.size(), image.size());
    index_.try_emplace(image, floats.values.data() + i * width_);
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
  if (error) fail(kFunction, fmt::format("{}: cannot be made: {}", folder_, error.message()));
  if (access(folder_.c_str(), W_OK | X_OK) != 0) {
    fail(kFunction, fmt::format("{}: cannot be written: {}", folder_, std::strerror(errno)));
  }
}

void FeatureStore::flush() {
  if (new_images_.empty()) return;
  make_folder();
  const std::size_t count = new_images_.size();
  const std::span<const Sha256Digest> images = new_images_;
  const NpzEntry entries[] = {
      {"images", {Dtype::Kind::kUint, 1}, {count, sizeof(Sha256Digest)}, std::as_bytes(images)},
      {"features",
       {Dtype::Kind::kFloat, sizeof(float)},
       {count, width_},
       std::as_bytes(std::span<const float>(new_features_))},
  };
  const std::string bytes = make_npz(entries);
  const std::string name = hex_text(sha256(bytes_of(bytes))).substr(0, 32) + ".npz";
  const std::string path = (fs::path(folder_) / name).string();
  write_file_atomically(path, bytes, kFunction);
  read_.insert(path);
  new_images_.clear();
  new_features_.clear();
}

std::string default_feature_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0') {
    return (fs::path(cache) / "openworld/features").string();
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return (fs::path(home) / ".cache/openworld/features").string();
  }
  return "";
}

}  // namespace openworld
