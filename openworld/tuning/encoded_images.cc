#include "openworld/tuning/encoded_images.h"

#include <chrono>
#include <set>

#include "openworld/tuning/learner_input.h"
#include "openworld/tuning/tuning_data.h"
#include "openworld/vlm/extra_features.h"
#include "openworld/vlm/index_tensor.h"
#include "openworld/worlds/class_order.h"

namespace openworld {

TestImages encode_test(const TuningRequest& request, const LoadedModel& model,
                       const ScenarioDataset& dataset, const Observer& observer) {
  const auto start = std::chrono::steady_clock::now();
  const Dataset& test = dataset.data;
  const ImageFeatures features =
      encode_dataset(model, test, request.model, request.cache, observer);
  TestImages images;
  images.features = normalized_features(features, model.clip.device());
  images.lengths = feature_lengths(features, model.clip.device());
  images.samples = features.samples;
  images.add_input = [&model, &test, spec = request.model](std::span<const std::size_t> samples,
                                                           ImageInput input, ScoredImages& scored) {
    add_learner_input(model.clip, some_samples(test, samples), spec, input, scored);
  };
  for (const std::size_t i : features.samples) images.labels.push_back(test.samples[i].label);
  images.summary =
      data_summary(test, dataset.name, features.samples.size(), features.failures.size());
  if (!features.failures.empty()) images.summary.samples = features.samples;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  images.seconds = seconds.count();
  return images;
}

void reorder_labels(TestImages& images, std::span<const std::int32_t> order) {
  if (order.empty()) return;
  const std::vector<std::int32_t> place = places_in(order);
  for (std::int32_t& label : images.labels) {
    if (label >= 0) label = place[static_cast<std::size_t>(label)];
  }
}

TestImages without_samples(const TestImages& test, const std::vector<std::size_t>& samples) {
  const std::set<std::size_t> tuned_on(samples.begin(), samples.end());
  TestImages rest = test;
  std::vector<std::int64_t> rows;
  rest.samples.clear();
  rest.labels.clear();
  for (std::size_t i = 0; i < test.samples.size(); ++i) {
    if (tuned_on.contains(test.samples[i])) continue;
    rows.push_back(static_cast<std::int64_t>(i));
    rest.samples.push_back(test.samples[i]);
    rest.labels.push_back(test.labels[i]);
  }
  const at::Tensor left = index_tensor(rows, test.features.device());
  rest.features = test.features.index_select(0, left);
  rest.lengths = test.lengths.index_select(0, left);
  rest.summary.images = rest.samples.size();
  rest.summary.samples = rest.samples;
  return rest;
}

TrainImages encode_shots(const TuningRequest& request, const LoadedModel& model,
                         const Dataset& train, const std::vector<std::size_t>& samples,
                         ImageInput input, std::uint64_t seed, const Observer& observer) {
  const Dataset shots = some_samples(train, samples);
  std::vector<std::int64_t> labels;
  for (const Sample& sample : shots.samples) labels.push_back(sample.label);
  const auto followed = [&](const char* what) {
    return ExtraFeatureOptions{request.model.batch, request.model.threads, observer.follow(what)};
  };
  TrainImages images;
  Episode& episode = images.episode;
  episode.labels = index_tensor(labels, model.clip.device());
  if (request.views > 0) {
    const at::Tensor features =
        view_features(model.clip, shots, request.views, seed, followed("encoding views"));
    episode.features = normalized(features);
    episode.lengths = lengths(features);
  } else {
    const ImageFeatures features =
        encode_dataset(model, shots, request.model, request.cache, observer, Unreadable::kRefuse);
    episode.features = normalized_features(features, model.clip.device());
    episode.lengths = feature_lengths(features, model.clip.device());
  }
  if (input == ImageInput::kPatches) {
    episode.local = patch_features(model.clip, shots, followed("encoding patches"));
  }
  if (input == ImageInput::kPatchStates) {
    episode.local = patch_states(model.clip, shots, followed("encoding patches"));
  }
  if (input == ImageInput::kPixels) {
    images.pixels =
        std::make_unique<PixelSource>(shots, model.clip.config.preprocessing,
                                      PixelOptions{.seed = seed, .threads = request.model.threads});
    episode.pixels = images.pixels.get();
    episode.fresh_views = request.augment;
  }
  return images;
}

}  // namespace openworld
