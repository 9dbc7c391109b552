#include "openworld/worlds/train_test_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <optional>

#include "openworld/base/error.h"
#include "openworld/base/quotes.h"
#include "openworld/worlds/folders.h"

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

// `which` is train or test, as options have it.
[[noreturn]] void refuse_splits(const std::string& path, const std::vector<std::string>& splits,
                                std::string_view what, std::string_view which,
                                const std::string& function) {
  fail(function, fmt::format("{}: has the splits {}; name that of {} with --{}-split, or {}_split=",
                             path, fmt::join(splits, ", "), what, which, which));
}

// The split that was asked for, or the dataset as it is.
Dataset open_test(const std::string& path, const DatasetOptions& options, const std::string& split,
                  const std::string& function) {
  try {
    return open_split(path, options, split);
  } catch (const NoSplitNamed& e) {
    refuse_splits(path, e.splits(), "the test images", "test", function);
  }
}

// The split that was asked for; else "train", or all of a dataset without splits.
Dataset open_train(const TrainTestRequest& request, const std::string& function) {
  const std::string& path = request.path;
  if (!request.train_split.empty()) return open_split(path, request.options, request.train_split);
  try {
    return open_split(path, request.options, "train");
  } catch (const Error&) {
    const std::exception_ptr wrong_with_it = std::current_exception();
    std::vector<std::string> splits;
    try {
      Dataset whole = open_split(path, request.options, "");
      if (whole.splits.empty()) return whole;
      splits = whole.splits;
    } catch (const NoSplitNamed& e) {
      splits = e.splits();
    }
    if (std::ranges::find(splits, "train") != splits.end()) std::rethrow_exception(wrong_with_it);
    refuse_splits(path, splits, "the training images", "train", function);
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
         fmt::format("{} has no splits; draw test images from it with --test-fraction 0.5, or "
                     "test_fraction=0.5, or name a dataset of them with --test-data, or test_data=",
                     path));
  }
  if (data.train.classes.size() < 2) {
    fail(function, fmt::format("{} has {}; expected two or more, to tune on some and keep others "
                               "new",
                               path, data.train.classes.empty() ? "no classes" : "1 class"));
  }
  std::string test_split = request.test_split;
  if (test_split.empty() && request.test_path.empty()) {
    test_split = has_split(data.train, "test") ? "test" : has_split(data.train, "val") ? "val" : "";
    if (test_split.empty()) {
      refuse_splits(path, data.train.splits, "the test images", "test", function);
    }
  }
  data.test = open_test(test_path, request.options, test_split, function);
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
    Dataset whole = open_split(path, options, "");
    // A split that is there but cannot be read is no reason to take everything.
    const bool has_one = std::ranges::any_of(
        splits, [&](const std::string& split) { return has_split(whole, split); });
    if (!has_one) return whole;
  } catch (const Error&) {
    if (!first) throw;
  }
  throw *first;
}

}  // namespace openworld
