// Idx files, as MNIST and its relatives come: PREFIX-images-idx3-ubyte with
// PREFIX-labels-idx1-ubyte beside it, plain or as .gz. A folder of them, whose splits follow from
// the prefixes, or one file of images. Images are greys, shown as RGB.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <optional>

#include "openworld/io/idx.h"
#include "openworld/io/is_file.h"
#include "openworld/io/memory_limit.h"
#include "openworld/worlds/drawn_source.h"
#include "openworld/worlds/folders.h"
#include "openworld/worlds/format.h"
#include "openworld/worlds/listing.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxSide = 1 << 14;

// Images of one file.
class IdxSource : public DrawnSource {
 public:
  IdxSource(std::string name, IdxArray images) : DrawnSource(std::move(name)), images_(images) {}

  Image draw(const Sample& sample) const override {
    const std::size_t height = images_.shape[1], width = images_.shape[2];
    const auto greys = images_.values.values.subspan(sample.place * height * width, height * width);
    Image image = make_image(static_cast<std::int64_t>(width), static_cast<std::int64_t>(height));
    for (std::size_t i = 0; i < greys.size(); ++i) {
      std::memset(&image.rgb[3 * i], std::to_integer<int>(greys[i]), 3);
    }
    return image;
  }

 private:
  IdxArray images_;
};

// "train-images-idx3-ubyte.gz": what stands before "images", and between "images" and "idx3".
struct ImagesName {
  std::string prefix, separator;
};

std::optional<ImagesName> parse_images_name(std::string_view name) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  for (const std::string_view separator : {"-", "."}) {
    const std::string ending = fmt::format("images{}idx3-ubyte", separator);
    if (!name.ends_with(ending)) continue;
    name.remove_suffix(ending.size());
    return ImagesName{std::string(name), std::string(separator)};
  }
  return std::nullopt;
}

// "emnist-letters-t10k-" is test; a prefix that says nothing is a split of its name.
std::string split_of(std::string_view prefix) {
  while (!prefix.empty() &&
         (prefix.back() == '-' || prefix.back() == '_' || prefix.back() == '.')) {
    prefix.remove_suffix(1);
  }
  const std::size_t at = prefix.find_last_of("-_.");
  const std::string_view word = at == std::string_view::npos ? prefix : prefix.substr(at + 1);
  if (word == "t10k") return "test";
  return std::string(is_split_name(word) ? word : prefix);
}

struct IdxFiles {
  std::string split;
  std::string images;  // paths
  std::string labels;  // "": there is no such file
};

IdxFiles files_of(const fs::path& images, const ImagesName& name) {
  IdxFiles files{split_of(name.prefix), images.string(), ""};
  for (const char* ending : {"", ".gz"}) {
    const fs::path labels = images.parent_path() / fmt::format("{}labels{}idx1-ubyte{}",
                                                               name.prefix, name.separator, ending);
    if (files.labels.empty() && is_file(labels)) files.labels = labels.string();
  }
  return files;
}

// In the order of the names; of a file that is there plain and as .gz the plain one.
std::vector<IdxFiles> find_files(const std::string& path) {
  std::vector<IdxFiles> all;
  const auto add = [&](const fs::path& file) {
    const auto name = parse_images_name(file.filename().string());
    if (!name) return;
    IdxFiles files = files_of(file, *name);
    if (std::ranges::find(all, files.split, &IdxFiles::split) == all.end()) {
      all.push_back(std::move(files));
    }
  };
  if (is_file(path)) {
    add(path);
  } else {
    for (const std::string& name : peek_folder(path).others) add(fs::path(path) / name);
  }
  return all;
}

bool recognise_idx(const std::string& path) {
  return !find_files(path).empty();
}

IdxArray read_images(const Origin& origin) {
  IdxArray images = read_idx(origin, 3);
  const std::size_t height = images.shape[1], width = images.shape[2];
  if (height == 0 || width == 0 || height > kMaxSide || width > kMaxSide) {
    origin.fail(fmt::format("has images of {} x {} pixels; expected sides of 1 to {}", width,
                            height, kMaxSide));
  }
  return images;
}

std::uint64_t size_of_file(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = path.empty() ? 0 : fs::file_size(path, error);
  return error ? 0 : size;
}

// A sample takes a path and more, and a byte of .gz may have a thousand of them.
void request_samples(std::size_t count, const IdxFiles& files, const std::string& function) {
  constexpr std::uint64_t kSampleBytes = 128;
  const std::string& file = files.labels.empty() ? files.images : files.labels;
  const std::uint64_t bytes = size_of_file(files.images) + size_of_file(files.labels);
  request_memory(count * kSampleBytes, bytes, fmt::format("a list of {} images", count),
                 {function, file});
}

// The labels of a file, or as many -1 as there are images.
std::vector<std::int64_t> read_labels(const IdxFiles& files, const std::string& function) {
  if (files.labels.empty()) {
    const std::size_t count = read_images({function, files.images}).shape[0];
    request_samples(count, files, function);
    return std::vector<std::int64_t>(count, -1);
  }
  const IdxArray array = read_idx({function, files.labels}, 1);
  request_samples(array.values.size(), files, function);
  std::vector<std::int64_t> labels;
  for (const std::byte label : array.values.values) {
    labels.push_back(std::to_integer<std::int64_t>(label));
  }
  return labels;
}

Dataset open_idx(const Origin& origin, const DatasetOptions& options) {
  const std::vector<IdxFiles> all = find_files(origin.file);
  if (all.empty()) {
    origin.fail(
        "has no idx images; expected files such as train-images-idx3-ubyte and "
        "train-labels-idx1-ubyte, plain or as .gz");
  }
  const bool is_folder = !is_file(origin.file);
  const std::string folder = is_folder ? origin.file : folder_of(origin.file);
  const bool has_splits = is_folder && (all.size() > 1 || is_split_name(all[0].split));
  Listing listing(origin, folder);
  for (const IdxFiles& files : all) {
    const std::string split = has_splits ? files.split : "";
    std::size_t i = 0;
    for (const std::int64_t label : read_labels(files, origin.function)) {
      const auto where = [&] { return fmt::format("label {} of {}", i, files.labels); };
      listing.add(
          {.path = fmt::format("{}{}{:05}.png", split, split.empty() ? "" : "/", i), .place = i},
          label, "", split, where);
      ++i;
    }
  }
  Dataset rooted;
  rooted.root = origin.file;
  Dataset dataset = std::move(listing).finish(options, std::move(rooted));
  const auto files =
      has_splits ? std::ranges::find(all, options.split, &IdxFiles::split) : all.begin();
  const Origin images_origin{origin.function, files->images};
  IdxArray images = read_images(images_origin);
  if (images.shape[0] != dataset.samples.size()) {
    images_origin.fail(fmt::format("has {} images; expected {}, as many as {} has labels",
                                   images.shape[0], dataset.samples.size(), files->labels));
  }
  dataset.source = std::make_shared<IdxSource>(origin.file, std::move(images));
  return dataset;
}

}  // namespace

const DatasetFormat kIdx = {
    "idx",
    "idx files as MNIST's: train-images-idx3-ubyte and train-labels-idx1-ubyte, plain or .gz",
    false, recognise_idx, open_idx};

}  // namespace openworld
