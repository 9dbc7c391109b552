#pragma once

// Files of image features, as a cache keeps them: which features a checkpoint makes, where they
// lie, and how one file is read and named. FeatureStore (vlm) reads and writes many.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "openworld/checkpoint/clip_checkpoint.h"
#include "openworld/io/column.h"
#include "openworld/io/origin.h"
#include "openworld/io/sha256.h"

namespace openworld {

// Says which features these are: weights, activation and preprocessing.
Sha256Digest feature_kind(const ClipCheckpoint& checkpoint);

// $XDG_CACHE_HOME/openworld/features or ~/.cache/openworld/features; empty where there is no home.
std::string default_feature_folder();

// The folder of features of that kind below `folder`.
std::string feature_folder(const std::string& folder, const Sha256Digest& kind);

// The files of features in such a folder, sorted; none if it is not there.
std::vector<std::string> feature_files(const std::string& folder);

// Whether every number is.
bool is_finite(std::span<const float> feature);

struct CachedFeatures {
  std::vector<Sha256Digest> images;  // hashes of the images' bytes
  std::size_t width = 0;
  Column<float> values;  // a row an image

  std::span<const float> feature(std::size_t i) const {
    return values.values.subspan(i * width, width);
  }
};

// Throws Error unless the file has features of `width` floats, one for each image.
CachedFeatures read_feature_file(const Origin& origin, std::size_t width);

// The bytes of a file of features, a row an image.
std::string make_feature_file(std::span<const Sha256Digest> images, std::span<const float> values);

// The name of a file with these bytes: from their hash.
std::string feature_file_name(std::span<const std::byte> bytes);

}  // namespace openworld
