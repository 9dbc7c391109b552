#pragma once

// A model that is ready to run, and features of images by it.

#include <string>
#include <string_view>

#include "openworld/runs/model_spec.h"
#include "openworld/runs/run_spec.h"
#include "openworld/tuning/observer.h"
#include "openworld/vlm/image_features.h"
#include "openworld/vlm/load_clip.h"

namespace openworld {

struct LoadedModel {
  ClipCheckpoint checkpoint;
  Clip clip;

  // What results say about it.
  RunModel description(const ModelSpec& spec) const;
};

// Sets the number of threads that torch uses when it is called from this one.
void use_threads(const ModelSpec& spec);

// Tells the observer what the model's files do not say and was assumed, a line each.
void warn_assumptions(const RunModel& model, const Observer& observer);

// Also sets torch's threads. What had to be assumed is told to the observer. Throws Error as
// [function].
LoadedModel load_model(const ModelSpec& spec, std::string_view function,
                       const Observer& observer = {});

enum class Unreadable { kSkip, kRefuse };

// Features of the dataset's images. Images that cannot be read are skipped and named to the
// observer, or are an Error; it is an Error if none can be read.
ImageFeatures encode_dataset(const LoadedModel& model, const Dataset& dataset,
                             const ModelSpec& spec, const FeatureCacheSpec& cache,
                             const Observer& observer, Unreadable unreadable = Unreadable::kSkip);

// Normalised features [n, embed] as a tensor of its own on `device`.
at::Tensor normalized_features(const ImageFeatures& features, at::Device device);

// The lengths [n] that those were divided by.
at::Tensor feature_lengths(const ImageFeatures& features, at::Device device);

}  // namespace openworld
