#pragma once

// Features of a dataset's images, each image encoded once.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/vlm/clip.h"
#include "openworld/vlm/feature_store.h"
#include "openworld/worlds/dataset.h"

namespace openworld {

struct ImageFeatureOptions {
  std::size_t batch = 32;
  int threads = 0;  // that read and decode; 0: all cores

  // Where features are looked for and kept; may be null.
  FeatureStore* store = nullptr;

  std::function<void(std::size_t done, std::size_t total)> on_hash;    // images read
  std::function<void(std::size_t done, std::size_t total)> on_encode;  // images encoded
};

struct ImageFeatures {
  std::size_t width = 0;
  std::vector<float> features;       // [samples, width], not normalised
  std::vector<std::size_t> samples;  // of the dataset, ascending: those that could be read
  struct Failure {
    std::size_t sample;
    Error error;
  };
  std::vector<Failure> failures;  // ascending
  std::size_t encoded = 0;        // images that went through the model
  std::size_t found = 0;          // samples whose feature was in the store
  std::optional<Error> unsaved;   // why the store could not be written, on a full disk for instance
};

// Two samples with the same bytes are one image. Images that cannot be read are failures; the rest
// goes on.
ImageFeatures image_features(const Clip& clip, const Dataset& dataset,
                             const ImageFeatureOptions& options = {});

}  // namespace openworld
