#include "openworld/cli/models/tuning_data.h"

#include <ATen/ops/from_blob.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "openworld/base/error.h"
#include "openworld/io/origin.h"
#include "openworld/vlm/extra_features.h"
#include "openworld/vlm/index_tensor.h"

namespace openworld {
namespace {

constexpr auto kFunction = "tune";

Dataset open_split(const DataFlags& data, const std::string& path, const std::string& split) {
  DatasetOptions options = dataset_options(data);
  options.split = split;
  return open_dataset(path, options);
}

bool has_split(const Dataset& dataset, const std::string& split) {
  return std::find(dataset.splits.begin(), dataset.splits.end(), split) != dataset.splits.end();
}

void expect_same_classes(const Dataset& train, const Dataset& test, const std::string& path) {
  const std::size_t common = std::min(train.classes.size(), test.classes.size());
  for (std::size_t c = 0; c < common; ++c) {
    if (train.classes[c] == test.classes[c]) continue;
    fail(kFunction, fmt::format("{}: class {} is {} in training and {} in testing; expected the "
                                "same classes",
                                path, c, in_quotes(train.classes[c]), in_quotes(test.classes[c])));
  }
  if (train.classes.size() != test.classes.size()) {
    fail(kFunction, fmt::format("{}: {} classes in training and {} in testing; expected the same",
                                path, train.classes.size(), test.classes.size()));
  }
}

// The split that was asked for; else "train", or all of a dataset without splits.
Dataset open_train(const DataFlags& data, const std::string& split) {
  if (!split.empty()) return open_split(data, data.data, split);
  try {
    return open_split(data, data.data, "train");
  } catch (const Error&) {
    // What is wrong with it, said of the dataset as it is.
    Dataset whole = open_split(data, data.data, "");
    if (whole.splits.empty()) return whole;
    if (has_split(whole, "train")) throw;
    fail(kFunction, fmt::format("{} has splits {}; say which by --train-split", data.data,
                                fmt::join(whole.splits, ", ")));
  }
}

}  // namespace

TuningData open_tuning_data(const TuneFlags& flags) {
  const std::string& path = flags.data.data;
  const std::string& test_path = flags.test_data.empty() ? path : flags.test_data;
  TuningData data;
  data.train = open_train(flags.data, flags.train_split);
  if (flags.test_data.empty() && data.train.splits.empty()) {
    fail(kFunction, fmt::format("{} has no splits; give test images by --test-data", path));
  }
  if (data.train.classes.size() < 2) {
    fail(kFunction, fmt::format("{} has {} class; expected two or more, to tune on some and keep "
                                "others new",
                                path, data.train.classes.size()));
  }
  std::string test_split = flags.test_split;
  if (test_split.empty() && flags.test_data.empty()) {
    test_split = has_split(data.train, "test") ? "test" : has_split(data.train, "val") ? "val" : "";
    if (test_split.empty()) {
      fail(kFunction, fmt::format("{} has splits {}; say which is to be tested on by --test-split",
                                  path, fmt::join(data.train.splits, ", ")));
    }
  }
  data.test = open_split(flags.data, test_path, test_split);
  std::error_code ignored;
  data.same_images = data.train.split == data.test.split &&
                     (test_path == path || std::filesystem::equivalent(test_path, path, ignored));
  expect_same_classes(data.train, data.test, test_path);
  if (data.test.samples.empty()) fail(kFunction, fmt::format("{} has no test images", test_path));
  return data;
}

std::vector<std::size_t> draw_shots(const TuneFlags& flags, const Dataset& train, std::int64_t base,
                                    ShotRule rule, std::uint64_t seed) {
  std::vector<std::size_t> count(train.classes.size());
  for (const Sample& sample : train.samples) {
    if (sample.label >= 0) ++count[static_cast<std::size_t>(sample.label)];
  }
  for (std::size_t c = 0; c < static_cast<std::size_t>(base); ++c) {
    const std::size_t needed = std::max<std::size_t>(flags.shots, 1);
    if (count[c] >= needed || (flags.allow_fewer && count[c] > 0)) continue;
    fail(kFunction, fmt::format("{}: class {} has {}; expected {} or more{}", flags.data.data,
                                in_quotes(train.classes[c]), counted(count[c], "training image"),
                                needed, count[c] > 0 ? ", or --allow-fewer" : ""));
  }
  std::vector<std::size_t> drawn = few_shot_samples(train, flags.shots, seed, rule);
  std::erase_if(drawn, [&](std::size_t i) { return train.samples[i].label >= base; });
  return drawn;
}

at::Tensor normalized_features(const ImageFeatures& features) {
  return normalized(at::from_blob(const_cast<float*>(features.features.data()),
                                  {static_cast<std::int64_t>(features.samples.size()),
                                   static_cast<std::int64_t>(features.width)},
                                  at::kFloat));
}

Dataset some_samples(const Dataset& dataset, std::span<const std::size_t> samples) {
  Dataset some = {.format = dataset.format,
                  .root = dataset.root,
                  .classes = dataset.classes,
                  .named = dataset.named,
                  .samples = {},
                  .splits = dataset.splits,
                  .split = dataset.split,
                  .skipped = dataset.skipped,
                  .templates = dataset.templates,
                  .source = dataset.source};
  some.samples.reserve(samples.size());
  for (const std::size_t i : samples) some.samples.push_back(dataset.samples[i]);
  return some;
}

Episode make_episode(const TuneFlags& flags, const LoadedModel& model, const Dataset& train,
                     const std::vector<std::size_t>& samples, bool local, std::uint64_t seed) {
  const Dataset shots = some_samples(train, samples);
  std::vector<std::int64_t> labels;
  for (const Sample& sample : shots.samples) labels.push_back(sample.label);
  const ExtraFeatureOptions options = {flags.model.batch, flags.model.threads, {}};
  const auto watched = [&](const char* what) {
    ExtraFeatureOptions result = options;
    result.on_progress = progress_line(what);
    return result;
  };
  Episode episode;
  episode.labels = index_tensor(labels);
  if (flags.views > 0) {
    episode.features =
        view_features(model.clip, shots, flags.views, seed, watched("encoding views"));
  } else {
    episode.features = normalized_features(
        encode_dataset(model, shots, flags.model, flags.cache, Unreadable::kRefuse));
  }
  if (local) episode.local = patch_features(model.clip, shots, watched("encoding patches"));
  return episode;
}

}  // namespace openworld
