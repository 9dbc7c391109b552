#include "openworld/tuning/loaded_model.h"

#include <ATen/Parallel.h>
#include <ATen/ops/from_blob.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "openworld/base/error.h"
#include "openworld/base/threads.h"
#include "openworld/vlm/blas_memory.h"
#include "openworld/vlm/device.h"
#include "openworld/vlm/freed_memory.h"
#include "openworld/worlds/feature_arrays.h"

namespace openworld {
namespace {

// After so many the count says the rest.
constexpr std::size_t kNamedFailures = 5;

void report_failures(const ImageFeatures& features, const Observer& observer) {
  const std::size_t named = std::min(features.failures.size(), kNamedFailures);
  for (std::size_t i = 0; i < named; ++i) {
    observer.warn(fmt::format("skipped: {}", features.failures[i].error.what()));
  }
  if (features.failures.size() > named) {
    observer.warn(fmt::format("skipped: {} more", features.failures.size() - named));
  }
}

// Valid as long as `features`.
at::Tensor matrix_of(const ImageFeatures& features) {
  return at::from_blob(const_cast<float*>(features.features.data()),
                       {static_cast<std::int64_t>(features.samples.size()),
                        static_cast<std::int64_t>(features.width)},
                       at::kFloat);
}

// A cache that was asked for must work; a home that cannot be written is no reason to stop.
void open_store(std::optional<FeatureStore>& store, const LoadedModel& model,
                const FeatureCacheSpec& cache, const Observer& observer) {
  const std::string folder = cache.folder.empty() ? default_feature_folder() : cache.folder;
  if (cache.off || folder.empty()) return;
  store.emplace(folder, feature_kind(model.checkpoint),
                static_cast<std::size_t>(model.clip.config.embed));
  try {
    store->make_folder();
  } catch (const Error& e) {
    const Error error(e.function(),
                      fmt::format("{}; use another cache folder, or no cache", e.message()));
    if (!cache.folder.empty()) throw error;
    observer.warn(fmt::format("features are not kept: {}", error.what()));
    store.reset();
  }
}

// Features that are there already, of a dataset that has them instead of images.
ImageFeatures stored_features(const Clip& clip, const Dataset& dataset,
                              const FeatureSource& source) {
  if (!std::cmp_equal(source.width(), clip.config.embed)) {
    source.origin().fail(fmt::format("has features of {} dimensions; expected {}, as the model has",
                                     source.width(), clip.config.embed));
  }
  ImageFeatures features;
  features.width = source.width();
  features.features.resize(dataset.samples.size() * features.width);
  features.found = dataset.samples.size();
  for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
    source.feature(dataset.samples[i],
                   std::span(features.features).subspan(i * features.width, features.width));
    features.samples.push_back(i);
  }
  return features;
}

}  // namespace

RunModel LoadedModel::description(const ModelSpec& spec) const {
  return {.path = spec.path,
          .format = std::string(checkpoint.format()),
          .sha256 = hex_text(checkpoint.sha256()),
          .activation = std::string(activation_name(clip.config.activation)),
          .vocabulary = spec.vocabulary,
          .logit_scale = 0,
          .device = spec.device};
}

void use_threads(const ModelSpec& spec) {
  const int threads = spec.threads > 0 ? spec.threads : default_threads();
  expect_blas_memory(threads);
  at::set_num_threads(threads);
}

LoadedModel load_model(const ModelSpec& spec, std::string_view function) {
  keep_freed_memory();
  use_threads(spec);
  const at::Device device = parse_device(spec.device);
  const CheckpointOptions options{find_activation(spec.activation), std::string(function)};
  ClipCheckpoint checkpoint = open_clip_checkpoint(spec.path, options);
  Clip clip = load_clip(checkpoint, device);
  return {std::move(checkpoint), std::move(clip)};
}

ImageFeatures encode_dataset(const LoadedModel& model, const Dataset& dataset,
                             const ModelSpec& spec, const FeatureCacheSpec& cache,
                             const Observer& observer, Unreadable unreadable) {
  if (const FeatureSource* source = feature_source(dataset)) {
    return stored_features(model.clip, dataset, *source);
  }
  std::optional<FeatureStore> store;
  open_store(store, model, cache, observer);
  ImageFeatures features = image_features(
      model.clip, dataset,
      {.batch = spec.batch,
       .threads = spec.threads,
       .store = store ? &*store : nullptr,
       .on_hash = observer.follow("reading images"),
       .on_encode = observer.follow("encoding images"),
       .on_wait =
           [&](const std::string& owner) {
             observer.tell("waiting for " + owner + ", which encodes the same images");
           },
       .stop = observer.stop});
  if (unreadable == Unreadable::kRefuse && !features.failures.empty()) {
    throw features.failures[0].error;
  }
  report_failures(features, observer);
  if (features.unclaimed) {
    observer.warn(fmt::format("images are not claimed, so that others may encode them too: {}",
                              features.unclaimed->what()));
  }
  if (features.unsaved) {
    observer.warn(fmt::format("features are not kept: {}", features.unsaved->what()));
  }
  if (features.samples.empty()) {
    fail("encode_dataset", fmt::format("none of {} images could be read", dataset.samples.size()));
  }
  return features;
}

at::Tensor normalized_features(const ImageFeatures& features, at::Device device) {
  return normalized(matrix_of(features)).to(device);
}

at::Tensor feature_lengths(const ImageFeatures& features, at::Device device) {
  return lengths(matrix_of(features)).to(device);
}

}  // namespace openworld
