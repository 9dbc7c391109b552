#include "openworld/tuning/tuning_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "openworld/base/error.h"
#include "openworld/base/quotes.h"
#include "openworld/io/sha256.h"

namespace openworld {
namespace {

constexpr auto kFunction = "tune";

Dataset open_split(const DataSpec& data, const std::string& path, const std::string& split) {
  DatasetOptions options = data.options;
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
Dataset open_train(const DataSpec& data, const std::string& split) {
  if (!split.empty()) return open_split(data, data.path, split);
  try {
    return open_split(data, data.path, "train");
  } catch (const Error&) {
    // What is wrong with it, said of the dataset as it is.
    Dataset whole = open_split(data, data.path, "");
    if (whole.splits.empty()) return whole;
    if (has_split(whole, "train")) throw;
    fail(kFunction, fmt::format("{} has splits {}; expected the name of the training split",
                                data.path, fmt::join(whole.splits, ", ")));
  }
}

}  // namespace

TuningData open_tuning_data(const TuningRequest& request) {
  const std::string& path = request.data.path;
  const std::string& test_path = request.test_data.empty() ? path : request.test_data;
  TuningData data;
  data.train = open_train(request.data, request.train_split);
  if (request.test_data.empty() && data.train.splits.empty()) {
    fail(kFunction,
         fmt::format("{} has no splits; expected another dataset with test images", path));
  }
  if (data.train.classes.size() < 2) {
    fail(kFunction, fmt::format("{} has {} class; expected two or more, to tune on some and keep "
                                "others new",
                                path, data.train.classes.size()));
  }
  std::string test_split = request.test_split;
  if (test_split.empty() && request.test_data.empty()) {
    test_split = has_split(data.train, "test") ? "test" : has_split(data.train, "val") ? "val" : "";
    if (test_split.empty()) {
      fail(kFunction, fmt::format("{} has splits {}; expected the name of the test split", path,
                                  fmt::join(data.train.splits, ", ")));
    }
  }
  data.test = open_split(request.data, test_path, test_split);
  std::error_code ignored;
  data.same_images = data.train.split == data.test.split &&
                     (test_path == path || std::filesystem::equivalent(test_path, path, ignored));
  expect_same_classes(data.train, data.test, test_path);
  if (data.test.samples.empty()) fail(kFunction, fmt::format("{} has no test images", test_path));
  return data;
}

std::vector<std::size_t> draw_shots(const TuningRequest& request, const Dataset& train,
                                    std::size_t base, ShotRule rule, std::uint64_t seed) {
  std::vector<std::size_t> count(train.classes.size());
  for (const Sample& sample : train.samples) {
    if (sample.label >= 0) ++count[static_cast<std::size_t>(sample.label)];
  }
  for (std::size_t c = 0; c < base; ++c) {
    const std::size_t needed = std::max<std::size_t>(request.shots, 1);
    if (count[c] >= needed || (request.allow_fewer && count[c] > 0)) continue;
    fail(kFunction, fmt::format("{}: class {} has {} training image{}; expected {} or more{}",
                                request.data.path, in_quotes(train.classes[c]), count[c],
                                count[c] == 1 ? "" : "s", needed,
                                count[c] > 0 ? ", or that fewer are allowed" : ""));
  }
  std::vector<std::size_t> drawn = few_shot_samples(train, request.shots, seed, rule);
  std::erase_if(drawn, [&](std::size_t i) {
    return train.samples[i].label >= static_cast<std::int32_t>(base);
  });
  return drawn;
}

void expect_images_left(const TuningData& data, const std::vector<std::size_t>& shots) {
  if (!data.same_images) return;
  const std::set<std::size_t> tuned_on(shots.begin(), shots.end());
  if (tuned_on.size() < data.train.samples.size()) return;
  fail(kFunction,
       "every image is tuned on and none is left to test; expected fewer shots, or another test "
       "split");
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

std::string list_sha256(const Dataset& dataset) {
  std::string list;
  for (const Sample& sample : dataset.samples) {
    list += fmt::format("{}\t{}\n", sample.path, sample.label);
  }
  return hex_text(sha256(std::as_bytes(std::span(list))));
}

}  // namespace openworld
