#pragma once

// The images of a tuning job as learners take them.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "openworld/learners/learner.h"
#include "openworld/runs/prediction_meta.h"
#include "openworld/runs/tuning_request.h"
#include "openworld/scenarios/scenario.h"
#include "openworld/tuning/loaded_model.h"
#include "openworld/vlm/pixel_source.h"

namespace openworld {

// Test images, encoded once for all runs of a job.
struct TestImages {
  at::Tensor features;               // normalised, [n, embed]
  at::Tensor lengths;                // that they were divided by, [n]
  std::vector<std::size_t> samples;  // of the test dataset
  std::vector<std::int32_t> labels;  // of all classes
  // Some of the images as a learner scores them, beyond their features.
  std::function<void(std::span<const std::size_t> samples, ImageInput input, ScoredImages& images)>
      add_input;
  DataSummary summary;
  double seconds = 0;  // that encoding took
};

// REQUIRES: what it refers to outlives the result.
TestImages encode_test(const TuningRequest& request, const LoadedModel& model,
                       const ScenarioDataset& test, const Observer& observer);

// With the labels of classes in this order; as they are if it is empty.
void reorder_labels(TestImages& images, std::span<const std::int32_t> order);

// Those that are left beside the samples that were tuned on.
TestImages without_samples(const TestImages& test, const std::vector<std::size_t>& tuned_on);

// The training images of a run as its learner takes them.
struct TrainImages {
  std::unique_ptr<PixelSource> pixels;
  Episode episode;
};

// Throws Error for an image that cannot be read.
TrainImages encode_shots(const TuningRequest& request, const LoadedModel& model,
                         const Dataset& train, const std::vector<std::size_t>& samples,
                         ImageInput input, std::uint64_t seed, const Observer& observer);

}  // namespace openworld
