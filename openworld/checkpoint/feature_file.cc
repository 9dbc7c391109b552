#include "openworld/checkpoint/feature_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "openworld/io/mapped_file.h"
#include "openworld/io/npy_values.h"
#include "openworld/io/npz.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

// To be raised whenever an image's feature changes in any bit, or runs would depend on what an
// older program left in the cache. 2: each image is encoded by itself.
constexpr int kFeatureVersion = 2;

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
  return sha256(std::as_bytes(std::span(text)));
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

std::string feature_folder(const std::string& folder, const Sha256Digest& kind) {
  return (fs::path(folder) / hex_text(kind).substr(0, 32)).string();
}

std::vector<std::string> feature_files(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".npz") files.push_back(it->path().string());
  }
  std::ranges::sort(files);
  return files;
}

CachedFeatures read_feature_file(const Origin& origin, std::size_t width) {
  const ZipArchive archive(map_file(origin), origin);
  const auto images = read_npz_array(archive, "images");
  const auto features = read_npz_array(archive, "features");
  if (!images || !features) origin.fail("expected the arrays images and features");
  const std::size_t count = images->header.shape.empty() ? 0 : images->header.shape[0];
  const std::vector<std::size_t> image_shape = {count, sizeof(Sha256Digest)};
  const std::vector<std::size_t> feature_shape = {count, width};
  const Dtype& dtype = features->header.dtype;
  if (images->header.shape != image_shape || images->header.dtype.size != 1 ||
      features->header.shape != feature_shape || dtype.kind != Dtype::Kind::kFloat ||
      dtype.size != sizeof(float)) {
    origin.fail("expected 32 bytes and one feature per image");
  }
  CachedFeatures file;
  file.width = width;
  file.images.resize(count);
  std::memcpy(file.images.data(), images->data.values.data(), count * sizeof(Sha256Digest));
  file.values = std::get<Column<float>>(to_floats(*features, origin));
  return file;
}

std::string make_feature_file(std::span<const Sha256Digest> images, std::span<const float> values) {
  const std::size_t count = images.size();
  const NpzEntry entries[] = {
      {"images", {Dtype::Kind::kUint, 1}, {count, sizeof(Sha256Digest)}, std::as_bytes(images)},
      {"features",
       {Dtype::Kind::kFloat, sizeof(float)},
       {count, values.size() / count},
       std::as_bytes(values)},
  };
  return make_npz(entries);
}

std::string feature_file_name(std::span<const std::byte> bytes) {
  return hex_text(sha256(bytes)).substr(0, 32) + ".npz";
}

}  // namespace openworld
