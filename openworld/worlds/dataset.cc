#include "openworld/worlds/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <filesystem>

#include "openworld/base/nearest_name.h"
#include "openworld/io/mapped_file.h"
#include "openworld/worlds/downloads.h"
#include "openworld/worlds/drawn_split.h"
#include "openworld/worlds/format.h"
#include "openworld/worlds/spec_text.h"
#include "openworld/worlds/world_list.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> kBundled = {"doodles", "icons"};

const DatasetFormat& choose_format(const Origin& origin, const std::string& name) {
  std::vector<std::string> names;
  for (const DatasetFormat* format : dataset_formats()) {
    if (name.empty() ? format->recognise(origin.file) : name == format->name) return *format;
    names.emplace_back(format->name);
  }
  if (!name.empty()) fail_unknown(origin, "dataset format", name, names);
  std::error_code error;
  if (!fs::exists(origin.file, error)) {
    const std::string near = nearest_world(origin.file);
    origin.fail(
        fmt::format("does not exist; {}xpected a folder of images, a list of them, tar shards, "
                    "doodles:NAME, icons:NAME, mnist, fashion-mnist or cifar10",
                    near.empty() ? "e" : fmt::format("did you mean {}? E", near)));
  }
  origin.fail(fmt::format(
      "is not a known dataset; expected a folder, or a file in .json, .txt, .csv, .tsv or "
      ".tar, in one of the formats {}",
      fmt::join(names, ", ")));
}

fs::path sample_path(const Dataset& dataset, const Sample& sample) {
  return fs::path(dataset.root) / sample.path;
}

}  // namespace

std::span<const DatasetFormat* const> dataset_formats() {
  static constexpr std::array<const DatasetFormat*, 13> kFormats = {
      &kDoodles,      &kIcons,         &kDownloads,  &kIdx,        &kSheets,
      &kWebdataset,   &kFeatureArrays, &kCoopSplit,  &kCsvDataset, &kImageList,
      &kSplitFolders, &kFlatFolder,    &kImageFolder};
  return kFormats;
}

Dataset open_dataset(const std::string& path, const DatasetOptions& options) {
  const Origin origin{"open_dataset", path};
  const DatasetFormat& format = choose_format(origin, options.format);
  if (!options.image_root.empty() && !format.lists_paths) {
    origin.fail(fmt::format("an image root is for lists of paths; this is a dataset of format {}",
                            format.name));
  }
  const auto drawn = parse_drawn_split(options.split, origin);
  if (drawn) {
    DatasetOptions all = options;
    all.split = "";
    Dataset whole = open_dataset(path, all);
    return take_drawn_split(std::move(whole), *drawn, origin);
  }
  Dataset dataset = format.open(origin, options);
  dataset.format = format.name;
  if (dataset.split.empty()) dataset.split = options.split;
  return dataset;
}

void expect_dataset(const std::string& path, const std::string& format) {
  const Origin origin{"open_dataset", path};
  choose_format(origin, format);
  if (is_bundled_world(path)) parse_world_dataset(origin);
}

bool is_bundled_world(std::string_view path) {
  const std::string_view world = path.substr(0, path.find(':'));
  if (world.size() < path.size() && std::ranges::find(kBundled, world) != kBundled.end()) {
    return true;
  }
  return names_world(std::string(path), find_download(path) != nullptr);
}

std::string nearest_world(std::string_view path) {
  std::vector<std::string> worlds(kBundled.begin(), kBundled.end());
  for (const Download& row : download_table()) worlds.emplace_back(row.name);
  const std::size_t end = std::min(path.find_first_of(":@#"), path.size());
  const std::string near = nearest_name(path.substr(0, end), worlds);
  return near.empty() ? "" : near + std::string(path.substr(end));
}

Bytes read_sample(const Dataset& dataset, std::size_t i) {
  assert(i < dataset.samples.size());
  const Sample& sample = dataset.samples[i];
  if (dataset.source) return dataset.source->read(sample);
  return map_file({"read_sample", sample_path(dataset, sample).string()});
}

std::string sample_name(const Dataset& dataset, std::size_t i) {
  const Sample& sample = dataset.samples[i];
  return dataset.source ? dataset.source->name(sample) : sample_path(dataset, sample).string();
}

}  // namespace openworld
