#include "openworld/worlds/train_test_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "openworld/base/error.h"
#include "openworld/base/quotes.h"

namespace openworld {
namespace {

Dataset open_split(const std::string& path, DatasetOptions options, const std::string& split) {
  options.split = split;
  return open_dataset(path, options);
}

bool has_split(const Dataset& dataset, const std::string& split) {
  return std::find(dataset.splits.begin(), dataset.splits.end(), split) != dataset.splits.end();
}

void expect_same_classes(const Dataset& train, const Dataset& test, const std::string& path,
                         const std::string& function) {
  const std::size_t common = std::min(train.classes.size(), test.classes.size());
  for (std::size_t c = 0; c < common; ++c) {
    if (train.classes[c] == test.classes[c]) continue;
    fail(function, fmt::format("{}: class {} is {} in training and {} in testing; expected the "
                               "same classes",
                               path, c, in_quotes(train.classes[c]), in_quotes(test.classes[c])));
  }
  if (train.classes.size() != test.classes.size()) {
    fail(function, fmt::format("{}: {} classes in training and {} in testing; expected the same",
                               path, train.classes.size(), test.classes.size()));
  }
}

// The split that was asked for; else "train", or all of a dataset without splits.
Dataset open_train(const TrainTestRequest& request, const std::string& function) {
  const std::string& path = request.path;
  if (!request.train_split.empty()) return open_split(path, request.options, request.train_split);
  try {
    return open_split(path, request.options, "train");
  } catch (const Error&) {
    // What is wrong with it, said of the dataset as it is.
    Dataset whole = open_split(path, request.options, "");
    if (whole.splits.empty()) return whole;
    if (has_split(whole, "train")) throw;
    fail(function, fmt::format("{} has splits {}; expected the name of the training split", path,
                               fmt::join(whole.splits, ", ")));
  }
}

}  // namespace

TrainTest open_train_test(const TrainTestRequest& request, const std::string& function) {
  const std::string& path = request.path;
  const std::string& test_path = request.test_path.empty() ? path : request.test_path;
  TrainTest data;
  data.train = open_train(request, function);
  if (request.test_path.empty() && data.train.splits.empty()) {
    fail(function,
         fmt::format("{} has no splits; expected another dataset with test images", path));
  }
  if (data.train.classes.size() < 2) {
    fail(function, fmt::format("{} has {} class; expected two or more, to tune on some and keep "
                               "others new",
                               path, data.train.classes.size()));
  }
  std::string test_split = request.test_split;
  if (test_split.empty() && request.test_path.empty()) {
    test_split = has_split(data.train, "test") ? "test" : has_split(data.train, "val") ? "val" : "";
    if (test_split.empty()) {
      fail(function, fmt::format("{} has splits {}; expected the name of the test split", path,
                                 fmt::join(data.train.splits, ", ")));
    }
  }
  data.test = open_split(test_path, request.options, test_split);
  std::error_code ignored;
  data.same_images = data.train.split == data.test.split &&
                     (test_path == path || std::filesystem::equivalent(test_path, path, ignored));
  expect_same_classes(data.train, data.test, test_path, function);
  if (data.test.samples.empty()) fail(function, fmt::format("{} has no test images", test_path));
  return data;
}

Dataset open_first_split(const std::string& path, const DatasetOptions& options,
                         const std::vector<std::string>& splits) {
  std::optional<Error> first;
  for (const std::string& split : splits) {
    try {
      return open_split(path, options, split);
    } catch (const Error& e) {
      if (!first) first = e;
    }
  }
  try {
    return open_split(path, options, "");
  } catch (const Error&) {
    if (first) throw *first;
    throw;
  }
}

}  // namespace openworld
