#include "openworld/worlds/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "openworld/worlds/class_names.h"
#include "openworld/worlds/folders.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

bool has_image(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

}  // namespace

Listing::Listing(Origin origin, std::string names_folder)
    : origin_(std::move(origin)), names_folder_(std::move(names_folder)) {}

std::int32_t Listing::split_index(std::string_view split) {
  if (split.empty()) return -1;
  // A column of something else has a split for each image, and each is looked up.
  constexpr std::size_t kMostSplits = 1000;
  const auto found = std::find(splits_.begin(), splits_.end(), split);
  if (found == splits_.end()) {
    if (splits_.size() == kMostSplits) {
      origin_.fail(fmt::format("has more than {} splits; expected train, val, test or the like",
                               kMostSplits));
    }
    splits_.emplace_back(split);
    return static_cast<std::int32_t>(splits_.size()) - 1;
  }
  return static_cast<std::int32_t>(found - splits_.begin());
}

void Listing::add(Sample sample, std::int64_t label, std::string_view name, std::string_view split,
                  const Where& where) {
  if (label < -1 || label > std::numeric_limits<std::int32_t>::max()) {
    origin_.fail(
        fmt::format("{} has label {}; expected 0, 1, ... or -1 for unknown", where(), label));
  }
  sample.label = static_cast<std::int32_t>(label);
  if (label >= 0) {
    const auto [known, inserted] = classes_.emplace(sample.label, name);
    if (!inserted && known->second != name) {
      origin_.fail(fmt::format("{} names class {} {}, which was {} before", where(), label,
                               in_quotes(name), in_quotes(known->second)));
    }
  }
  split_of_.push_back(split_index(split));
  samples_.push_back(std::move(sample));
}

void Listing::add_named(Sample sample, std::string_view name, std::string_view split) {
  if (name == kUnknownClass) {
    sample.label = -1;
    split_of_.push_back(split_index(split));
    samples_.push_back(std::move(sample));
    return;
  }
  auto found = numbers_.find(name);
  if (found == numbers_.end()) {
    found = numbers_.emplace(name, static_cast<std::int32_t>(numbers_.size())).first;
  }
  sample.label = found->second;
  split_of_.push_back(split_index(split));
  samples_.push_back(std::move(sample));
}

// Replaces the numbers in order of appearance by the sorted ones, or those of the names file.
void Listing::number_names(const DatasetOptions& options) {
  std::vector<std::string> names;
  const std::string file = find_names_file(options.names, names_folder_);
  if (file.empty()) {
    for (const auto& [name, number] : numbers_) names.push_back(name);
  } else {
    names = ClassNames::load({origin_.function, file}).by_label();
  }
  std::vector<std::int32_t> label_of(numbers_.size(), -1);
  for (std::size_t label = 0; label < names.size(); ++label) {
    const auto found = numbers_.find(names[label]);
    if (found != numbers_.end()) {
      label_of[static_cast<std::size_t>(found->second)] = static_cast<std::int32_t>(label);
    }
  }
  for (const auto& [name, number] : numbers_) {
    if (label_of[static_cast<std::size_t>(number)] < 0) {
      origin_.fail(fmt::format("has the class {}, which is not in {}", in_quotes(name), file));
    }
  }
  for (Sample& sample : samples_) {
    if (sample.label >= 0) sample.label = label_of[static_cast<std::size_t>(sample.label)];
  }
  for (std::size_t label = 0; label < names.size(); ++label) {
    classes_.emplace(static_cast<std::int32_t>(label), names[label]);
  }
}

std::vector<std::string> Listing::name_classes(const DatasetOptions& options, bool* named) const {
  *named = true;
  const std::string file =
      numbers_.empty() ? find_names_file(options.names, names_folder_) : std::string();
  if (!file.empty()) {
    std::vector<std::string> names = ClassNames::load({origin_.function, file}).by_label();
    const std::int64_t largest = classes_.empty() ? -1 : classes_.rbegin()->first;
    if (largest >= static_cast<std::int64_t>(names.size())) {
      origin_.fail(
          fmt::format("has the label {}, but {} has only {} names", largest, file, names.size()));
    }
    return names;
  }
  std::vector<std::string> names;
  for (const auto& [label, name] : classes_) {
    if (label != static_cast<std::int32_t>(names.size())) {
      origin_.fail(fmt::format(
          "has the label {} but not {}; expected labels from 0 on without a gap, or a names file",
          label, names.size()));
    }
    names.push_back(name);
    *named = *named && !name.empty();
  }
  if (!*named) {
    for (std::size_t label = 0; label < names.size(); ++label) names[label] = std::to_string(label);
  }
  return names;
}

Dataset Listing::finish(const DatasetOptions& options, Dataset dataset) && {
  if (samples_.empty()) origin_.fail("lists no images");
  if (!splits_.empty() || !options.split.empty()) require_split(options.split, splits_, origin_);
  if (!numbers_.empty()) number_names(options);
  dataset.classes = name_classes(options, &dataset.named);
  if (!options.allow_duplicate_names) refuse_duplicates(dataset.classes, origin_);
  dataset.splits = splits_;
  if (splits_.empty()) {
    dataset.samples = std::move(samples_);
    return dataset;
  }
  const std::int32_t wanted = split_index(options.split);
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    if (split_of_[i] == wanted) dataset.samples.push_back(std::move(samples_[i]));
  }
  return dataset;
}

std::string find_image_root(const std::string& given, const std::string& first_path,
                            const Origin& origin) {
  if (!given.empty()) {
    if (has_image(fs::path(given) / first_path)) return given;
    origin.fail(fmt::format("the image {} is not in {}", in_quotes(first_path), given));
  }
  constexpr int kLevels = 3;
  std::error_code error;
  fs::path folder = fs::absolute(origin.file, error).parent_path();
  const fs::path nearest = folder;
  for (int level = 0; level < kLevels && !error; ++level, folder = folder.parent_path()) {
    if (has_image(folder / first_path)) return folder.string();
    for (const std::string& name : peek_folder(folder.string()).folders) {
      if (has_image(folder / name / first_path)) return (folder / name).string();
    }
    if (folder == folder.root_path()) break;
  }
  origin.fail(
      fmt::format("the image {} is not in {}, in a folder there, or up to two levels above; "
                  "expected an image root, the folder of the images",
                  in_quotes(first_path), nearest.string()));
}

}  // namespace openworld
