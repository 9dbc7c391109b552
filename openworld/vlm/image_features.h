#pragma once

// Features of a dataset's images, each image encoded once: also by several processes that share a
// store and are asked for the same images at the same time. One of them encodes, under a lease
// (encoding_claim.h), and the others take its features from the store.

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

  // Called once if another process encodes these images now, with who it is.
  std::function<void(const std::string& owner)> on_wait = {};
  // Whether to stop, which throws Error; what was encoded is in the store. Any thread.
  std::function<bool()> stop = {};
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
  // Why the images could not be claimed; another process may have encoded them as well.
  std::optional<Error> unclaimed;
};

// Two samples with the same bytes are one image. Images that cannot be read are failures; the rest
// goes on.
ImageFeatures image_features(const Clip& clip, const Dataset& dataset,
                             const ImageFeatureOptions& options = {});

}  // namespace openworld
