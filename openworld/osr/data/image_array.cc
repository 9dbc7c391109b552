#include "openworld/osr/data/image_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <utility>

#include "openworld/base/error.h"
#include "openworld/base/threads.h"
#include "openworld/images/decode.h"
#include "openworld/images/resample.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/memory_limit.h"
#include "openworld/io/npy_values.h"
#include "openworld/io/npz.h"
#include "openworld/io/sha256.h"
#include "openworld/worlds/drawn_source.h"
#include "openworld/worlds/feature_arrays.h"
#include "openworld/worlds/list_sha256.h"

namespace openworld {
namespace {

constexpr auto kFunction = "load_image_array";

std::size_t image_bytes(int width, int height) {
  return 3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
}

// Without encoding and decoding it where the source has pixels.
Image read_image(const Dataset& dataset, std::size_t i) {
  const Sample& sample = dataset.samples[i];
  if (const auto* drawn = dynamic_cast<const DrawnSource*>(dataset.source.get())) {
    return drawn->draw(sample);
  }
  return decode_image(read_sample(dataset, i).values, {kFunction, sample_name(dataset, i)});
}

ImageArray read_dataset(const Origin& origin, const ImageArrayOptions& options) {
  const Dataset dataset = open_dataset(origin.file, options.dataset);
  if (feature_source(dataset) != nullptr) {
    origin.fail("has features instead of images; expected images");
  }
  if (dataset.samples.empty()) origin.fail("has no images");
  ImageArray array;
  array.count = dataset.samples.size();
  array.names = dataset.classes;
  array.named = dataset.named;
  array.path = origin.file;
  array.split = dataset.split;
  array.sha256 = list_sha256(dataset);
  for (const Sample& sample : dataset.samples) array.labels.push_back(sample.label);
  array.width = array.height = options.side;
  if (options.side == 0) {
    const Image first = read_image(dataset, 0);
    array.width = first.width;
    array.height = first.height;
  }
  const std::size_t size = image_bytes(array.width, array.height);
  const std::string what =
      fmt::format("{} images of {} x {} pixels", array.count, array.width, array.height);
  request_memory(array.count * size, array.count * size, what, origin);
  array.rgb.resize(array.count * size);
  parallel_for(array.count, options.threads, [&](std::size_t i) {
    Image image = read_image(dataset, i);
    if (options.side == 0 && (image.width != array.width || image.height != array.height)) {
      origin.fail(
          fmt::format("{} is {} x {} pixels and {} is {} x {}; expected one size, or a "
                      "side to resize to",
                      sample_name(dataset, 0), array.width, array.height, sample_name(dataset, i),
                      image.width, image.height));
    }
    if (image.width != array.width || image.height != array.height) {
      image = resize(image,
                     {.width = array.width, .height = array.height, .filter = Filter::kBilinear});
    }
    std::memcpy(&array.rgb[i * size], image.rgb.data(), size);
  });
  return array;
}

// The .npz at origin.file if it has images.
bool has_image_array(const Origin& origin) {
  return origin.file.ends_with(".npz") &&
         read_npz_array(ZipArchive(map_file(origin), origin), "images").has_value();
}

std::optional<NpyArray> first_array(const ZipArchive& archive,
                                    std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (auto array = read_npz_array(archive, name)) return array;
  }
  return std::nullopt;
}

void check_labels(const ImageArray& array, const Origin& origin) {
  if (array.labels.size() != array.count) {
    origin.fail(fmt::format("labels has {} entries; expected {}, one for each image",
                            array.labels.size(), array.count));
  }
  for (std::size_t i = 0; i < array.count; ++i) {
    const std::int32_t label = array.labels[i];
    if (label >= -1 && (!array.named || std::cmp_less(label, array.names.size()))) continue;
    origin.fail(
        fmt::format("labels[{}] is {}; expected an index into names, or -1 for unknown", i, label));
  }
}

ImageArray read_npz(const Origin& origin, const ImageArrayOptions& options) {
  if (!options.dataset.split.empty()) {
    origin.fail(fmt::format("has no splits, but the split {} was requested",
                            in_quotes(options.dataset.split)));
  }
  const Bytes bytes = map_file(origin);
  const ZipArchive archive(bytes, origin);
  const NpyArray images = *read_npz_array(archive, "images");
  const std::vector<std::size_t>& shape = images.header.shape;
  constexpr std::size_t kMaxSide = std::size_t{1} << 15;
  const bool fits = shape.size() == 4 && images.header.dtype.kind == Dtype::Kind::kFloat &&
                    images.header.dtype.size == 4 && !images.header.fortran_order &&
                    images.header.count > 0 && shape[1] <= kMaxSide && shape[2] <= kMaxSide &&
                    shape[3] <= kMaxSide;
  if (!fits) {
    origin.fail(
        fmt::format("images has dtype {} and shape {}; expected <f4 and (N, 3, H, W), in C "
                    "order",
                    images.header.dtype.name(), shape_text(shape)));
  }
  ImageArray array;
  array.count = shape[0];
  array.channels = static_cast<int>(shape[1]);
  array.height = static_cast<int>(shape[2]);
  array.width = static_cast<int>(shape[3]);
  array.floats = std::get<Column<float>>(to_floats(images, origin));
  const auto bad =
      std::ranges::find_if(array.floats.values, [](float value) { return !std::isfinite(value); });
  if (bad != array.floats.values.end()) {
    const auto at = static_cast<std::size_t>(bad - array.floats.values.begin());
    origin.fail(fmt::format("images[{}] has a value that is not finite", at / array.values()));
  }
  if (const auto names = read_npz_array(archive, "names")) {
    array.names = to_strings(*names, origin);
    array.named = true;
  }
  if (const auto labels = first_array(archive, {"labels", "label"})) {
    require_dimensions(*labels, 1, origin);
    const auto column = to_integers<std::int32_t>(*labels, "an index of a class, or -1", origin);
    array.labels.assign(column.values.begin(), column.values.end());
    check_labels(array, origin);
    if (!array.named) {
      const std::int32_t largest = *std::ranges::max_element(array.labels);
      if (std::cmp_greater(largest, array.count)) {
        origin.fail(fmt::format("has the label {} among {} images; expected labels from 0 on",
                                largest, array.count));
      }
      for (std::int32_t c = 0; c <= largest; ++c) array.names.push_back(std::to_string(c));
    }
  }
  array.path = origin.file;
  array.sha256 = hex_text(sha256(bytes.values));
  return array;
}

// `from` [channels, height, width] as write_augmented shows it.
void move_floats(std::span<const float> from, const ImageArray& array, const SquareChoices& choices,
                 std::span<float> to) {
  const int height = array.height, width = array.width;
  std::size_t out = 0;
  for (int c = 0; c < array.channels; ++c) {
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const int u = (choices.flip ? width - 1 - x : x) + choices.left, v = y + choices.top;
        const bool inside = u >= 0 && u < width && v >= 0 && v < height;
        const std::size_t at = (static_cast<std::size_t>(c) * static_cast<std::size_t>(height) +
                                static_cast<std::size_t>(inside ? v : 0)) *
                                   static_cast<std::size_t>(width) +
                               static_cast<std::size_t>(inside ? u : 0);
        to[out++] = inside ? from[at] : 0.0f;
      }
    }
  }
}

void check_room(std::string_view function, const ImageArray& array,
                const Preprocessing& preprocessing, std::span<const float> chw) {
  const std::size_t expected = array.values(preprocessing);
  if (chw.size() == expected) return;
  fail(function, fmt::format("the output has {} values; expected {}", chw.size(), expected));
}

void require_labels(const ImageArray& images, const OsrSplit& split, const char* function) {
  if (images.labels.empty()) {
    fail(function, fmt::format("{}: has no labels; expected the class of each image", images.path));
  }
  check_osr_split(split, images.names.size(), function);
}

}  // namespace

Image ImageArray::image(std::size_t i) const {
  assert(i < count && !has_floats());
  const std::size_t size = image_bytes(width, height);
  Image image{width, height, {}};
  image.rgb.assign(rgb.begin() + static_cast<std::ptrdiff_t>(i * size),
                   rgb.begin() + static_cast<std::ptrdiff_t>((i + 1) * size));
  return image;
}

std::size_t ImageArray::values(const Preprocessing& preprocessing) const {
  if (has_floats()) return values();
  return static_cast<std::size_t>(3 * preprocessing.image_size * preprocessing.image_size);
}

ImageView ImageArray::view(std::size_t i) const {
  assert(i < count && !has_floats());
  ImageView view{Image{width, height, {}}};
  view.rgb = &rgb[i * image_bytes(width, height)];
  return view;
}

void ImageArray::write(std::size_t i, const Preprocessing& preprocessing,
                       std::span<float> chw) const {
  assert(i < count);
  if (!has_floats()) return square_transform(view(i), preprocessing, chw);
  check_room("write", *this, preprocessing, chw);
  std::ranges::copy(floats.values.subspan(i * values(), values()), chw.begin());
}

void ImageArray::write_augmented(std::size_t i, const Preprocessing& preprocessing,
                                 const SquareAugmentation& augmentation,
                                 const AugmentationName& name, std::span<float> chw) const {
  assert(i < count);
  if (!has_floats()) {
    return square_train_transform(view(i), preprocessing, augmentation, name, chw);
  }
  constexpr auto kWrite = "write_augmented";
  check_room(kWrite, *this, preprocessing, chw);
  if (augmentation.rand.n > 0) {
    fail(kWrite, fmt::format("{}: images are floats; RandAugment needs 8-bit pixels", path));
  }
  check_square_augmentation(augmentation, std::min(width, height), kWrite);
  Random random = augmentation_stream(name);
  move_floats(floats.values.subspan(i * values(), values()), *this,
              draw_square_choices(augmentation, random), chw);
}

ImageArray load_image_array(const std::string& path, const ImageArrayOptions& options) {
  const Origin origin{kFunction, path};
  constexpr int kMaxSide = 4096;
  if (options.side < 0 || options.side > kMaxSide) {
    fail(kFunction,
         fmt::format("side is {}; expected 1 to {}, or 0 to keep sizes", options.side, kMaxSide));
  }
  return has_image_array(origin) ? read_npz(origin, options) : read_dataset(origin, options);
}

OsrRows known_rows(const ImageArray& images, const OsrSplit& split) {
  require_labels(images, split, "known_rows");
  OsrRows rows;
  std::vector<std::size_t> counts(split.known.size());
  for (std::size_t i = 0; i < images.count; ++i) {
    const std::int32_t place = images.labels[i] < 0 ? -1 : split.place_of(images.labels[i]);
    if (place < 0) continue;
    rows.rows.push_back(static_cast<std::uint32_t>(i));
    rows.labels.push_back(place);
    ++counts[static_cast<std::size_t>(place)];
  }
  for (std::size_t place = 0; place < counts.size(); ++place) {
    if (counts[place] > 0) continue;
    const std::int32_t label = split.known[place];
    fail("known_rows", fmt::format("{}: the known class {} ({}) has no image", images.path, label,
                                   in_quotes(images.names[static_cast<std::size_t>(label)])));
  }
  return rows;
}

OsrRows unknown_rows(const ImageArray& images, const OsrSplit& split) {
  require_labels(images, split, "unknown_rows");
  OsrRows rows;
  for (std::size_t i = 0; i < images.count; ++i) {
    const std::int32_t label = images.labels[i];
    if (label >= 0 && std::ranges::find(split.unknown, label) == split.unknown.end()) continue;
    rows.rows.push_back(static_cast<std::uint32_t>(i));
    rows.labels.push_back(-1);
  }
  if (rows.rows.empty()) {
    fail("unknown_rows", fmt::format("{}: no image is of an unknown class", images.path));
  }
  return rows;
}

OsrRows all_unknown(const ImageArray& images) {
  OsrRows rows;
  for (std::size_t i = 0; i < images.count; ++i) rows.rows.push_back(static_cast<std::uint32_t>(i));
  rows.labels.assign(images.count, -1);
  return rows;
}

}  // namespace openworld
