#include "openworld/osr/osr_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "openworld/base/error.h"
#include "openworld/io/memory_limit.h"
#include "openworld/osr/data/image_array.h"
#include "openworld/osr/network.h"
#include "openworld/worlds/feature_arrays.h"
#include "openworld/worlds/list_sha256.h"
#include "openworld/worlds/train_test_data.h"

namespace openworld {
namespace {

constexpr int kPadding = 4;

// What images and features have in common: labels, names, and samples by row.
class Source {
 public:
  virtual ~Source() = default;

  std::vector<std::int32_t> labels;  // of the dataset; -1: of no class
  std::vector<std::string> names;
  std::vector<std::int64_t> shape;
  std::string path, split, sha256;

  virtual void write(std::size_t row, const std::optional<AugmentationName>& name,
                     std::span<float> to) const = 0;
};

using SourcePointer = std::shared_ptr<const Source>;

class ImageSource : public Source {
 public:
  ImageSource(ImageArray array, const Preprocessing& preprocessing,
              const SquareAugmentation& augmentation)
      : array_(std::move(array)), preprocessing_(preprocessing), augmentation_(augmentation) {
    labels = array_.labels.empty() ? std::vector<std::int32_t>(array_.count, -1) : array_.labels;
    names = array_.names;
    path = array_.path;
    split = array_.split;
    sha256 = array_.sha256;
    shape = {array_.channels, kNetworkSide, kNetworkSide};
  }

  void write(std::size_t row, const std::optional<AugmentationName>& name,
             std::span<float> to) const override {
    if (name && augmentation_ != SquareAugmentation{}) {
      array_.write_augmented(row, preprocessing_, augmentation_, *name, to);
    } else {
      array_.write(row, preprocessing_, to);
    }
  }

 private:
  ImageArray array_;
  Preprocessing preprocessing_;
  SquareAugmentation augmentation_;
};

class FeatureRows : public Source {
 public:
  FeatureRows(const Dataset& dataset, const std::string& data, const char* function) {
    const FeatureSource* const features = feature_source(dataset);
    if (features == nullptr) {
      fail(function, fmt::format("{}: has images, and the network takes features; expected a file "
                                 "of features, as `openworld encode` writes, or --net vgg32 or "
                                 "small",
                                 data));
    }
    width_ = features->width();
    // And once more while they are standardised. What is in a folder is not compressed.
    std::error_code ignored;
    if (const auto bytes = std::filesystem::file_size(data, ignored); !ignored) {
      request_memory(2 * sizeof(float) * width_ * dataset.samples.size(), bytes,
                     "the features as floats", {function, data});
    }
    values_.resize(width_ * dataset.samples.size());
    for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
      features->feature(dataset.samples[i], {values_.data() + i * width_, width_});
      labels.push_back(dataset.samples[i].label);
    }
    names = dataset.classes;
    path = data;
    split = dataset.split;
    sha256 = list_sha256(dataset);
    shape = {static_cast<std::int64_t>(width_)};
  }

  void write(std::size_t row, const std::optional<AugmentationName>&,
             std::span<float> to) const override {
    std::copy_n(values_.data() + row * width_, width_, to.data());
  }

 private:
  std::size_t width_ = 0;
  std::vector<float> values_;
};

// Rows of one or two sources, with the labels of the network.
class Rows : public OsrSamples {
 public:
  explicit Rows(std::vector<std::int64_t> of_sample) { shape_ = std::move(of_sample); }

  void add(const SourcePointer& source, std::size_t row, std::int32_t label) {
    if (sources_.empty() || sources_.back() != source) sources_.push_back(source);
    rows_.push_back({sources_.size() - 1, row});
    labels_.push_back(label);
  }

  void write(std::size_t i, const std::optional<AugmentationName>& name,
             std::span<float> to) const override {
    sources_[rows_[i].first]->write(rows_[i].second, name, to);
  }

 private:
  std::vector<SourcePointer> sources_;
  std::vector<std::pair<std::size_t, std::size_t>> rows_;  // source, row of it
};

bool is_grey(const std::string& data) {
  return data == "mnist" || data == "fashion-mnist";
}

SquareAugmentation augmentation_of(const OsrView& view) {
  const OsrOptions& options = *view.options;
  AugmentKind kind = options.augment;
  if (kind == AugmentKind::kAuto) {
    kind = is_grey(view.data) ? AugmentKind::kNone : AugmentKind::kCrop;
  }
  SquareAugmentation augmentation;
  if (kind == AugmentKind::kNone) return augmentation;
  augmentation.padding = kPadding;
  augmentation.flip = true;
  if (kind == AugmentKind::kRand) {
    augmentation.rand = {
        .n = static_cast<int>(options.rand_n),
        .m = options.rand_m,
        .list = is_grey(view.data) ? RandAugmentList::kNoMotions : RandAugmentList::kAll};
  }
  return augmentation;
}

bool is_array_file(const std::string& path) {
  return path.ends_with(".npz");
}

SourcePointer open_images(const std::string& path, const DatasetOptions& options,
                          const OsrView& view, const char* function) {
  const SquareAugmentation augmentation = augmentation_of(view);
  const bool rand = augmentation.rand.n > 0;
  ImageArray array = load_image_array(path, {.dataset = options,
                                             .side = rand ? 0 : static_cast<int>(kNetworkSide),
                                             .threads = view.threads});
  if (array.has_floats() && (array.height != kNetworkSide || array.width != kNetworkSide)) {
    fail(function, fmt::format("{}: images are {} x {}; expected {} x {}, which the network takes",
                               path, array.height, array.width, kNetworkSide, kNetworkSide));
  }
  return std::make_shared<ImageSource>(
      std::move(array), view.options->pixels == PixelScale::kCifar ? kCifarPixels : kPlainPixels,
      augmentation);
}

SourcePointer open_source(const std::string& path, const DatasetOptions& options,
                          const OsrView& view, const char* function) {
  if (view.images) return open_images(path, options, view, function);
  return std::make_shared<FeatureRows>(open_dataset(path, options), path, function);
}

// The first of these splits that the dataset has; "" if it has none. An .npz of images has none.
std::string find_split(const std::string& path, const DatasetOptions& options,
                       const std::vector<std::string>& splits, bool images) {
  if (images && is_array_file(path)) return "";
  return open_first_split(path, options, splits).split;
}

struct Splits {
  std::string train, test;
};

Splits find_splits(const OsrTrainRequest& request, bool images) {
  const std::string& path = request.data.path;
  const std::string& test_path = request.test_data.empty() ? path : request.test_data;
  const auto wanted = [](const std::string& given, std::vector<std::string> usual) {
    return given.empty() ? std::move(usual) : std::vector<std::string>{given};
  };
  Splits splits;
  splits.train =
      find_split(path, request.data.options, wanted(request.train_split, {"train"}), images);
  splits.test = find_split(test_path, request.data.options,
                           wanted(request.test_split, {"test", "val"}), images);
  if (test_path == path && splits.train == splits.test) {
    fail("osr train",
         fmt::format("{}: has no samples to test on apart from those to train on; expected "
                     "splits train and test, or --test-data",
                     path));
  }
  return splits;
}

OsrSplit split_of(const std::string& known, const std::string& split,
                  const std::vector<std::string>& names, bool unknown_elsewhere,
                  const char* function) {
  if (known.empty() == split.empty()) {
    fail(function, known.empty() ? "no known classes; expected --known LIST or --split NAME:NUMBER"
                                 : "--known and --split are both given; expected one of them");
  }
  if (!known.empty()) return osr_split_of(known, names, !unknown_elsewhere, function);
  OsrSplit found = osr_split(split, function);
  check_osr_split(found, names.size(), function);
  return found;
}

std::vector<std::string> known_names(const std::vector<std::string>& names, const OsrSplit& split) {
  std::vector<std::string> known;
  for (const std::int32_t label : split.known) {
    known.push_back(names[static_cast<std::size_t>(label)]);
  }
  return known;
}

void add_known(Rows& rows, const SourcePointer& source, const OsrSplit& split) {
  for (std::size_t i = 0; i < source->labels.size(); ++i) {
    const std::int32_t place = split.place_of(source->labels[i]);
    if (place >= 0) rows.add(source, i, place);
  }
}

// All samples, in the order of the dataset, which reports show pictures by.
void add_all(Rows& rows, const SourcePointer& source, const OsrSplit& split) {
  for (std::size_t i = 0; i < source->labels.size(); ++i) {
    rows.add(source, i, split.place_of(source->labels[i]));
  }
}

// Every known class has samples to train on.
void expect_every_class(const Rows& rows, const OsrSplit& split, const Source& source) {
  std::vector<std::size_t> counts(split.known.size());
  for (const std::int32_t label : rows.labels()) ++counts[static_cast<std::size_t>(label)];
  for (std::size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] > 0) continue;
    fail("osr train",
         fmt::format("{}: no sample of class {} ({}) to train on", source.path, split.known[c],
                     source.names[static_cast<std::size_t>(split.known[c])]));
  }
}

void expect_same_shape(const Source& a, const Source& b, const char* function) {
  if (a.shape == b.shape) return;
  fail(function, fmt::format("{}: samples are {}, and those of {} are {}; expected the same",
                             b.path, fmt::join(b.shape, " x "), a.path, fmt::join(a.shape, " x ")));
}

}  // namespace

OsrData open_osr_data(const OsrTrainRequest& request, const OsrView& view) {
  const DataSpec& data = request.data;
  const Splits splits = find_splits(request, view.images);
  const auto open = [&](const std::string& path, const std::string& split) {
    DatasetOptions options = data.options;
    options.split = split;
    return open_source(path, options, view, "osr train");
  };
  const SourcePointer train = open(data.path, splits.train);
  const std::string& test_path = request.test_data.empty() ? data.path : request.test_data;
  const SourcePointer test = open(test_path, splits.test);
  expect_same_shape(*train, *test, "osr train");
  if (train->names != test->names) {
    fail("osr train",
         fmt::format("{} and {} have different classes; expected the same, in one order", data.path,
                     test_path));
  }
  const bool elsewhere = !request.unknown.empty();
  OsrData opened;
  opened.split = split_of(request.known, request.split, train->names, elsewhere, "osr train");
  opened.classes = known_names(train->names, opened.split);
  opened.input = train->shape[0];
  auto train_rows = std::make_unique<Rows>(train->shape);
  add_known(*train_rows, train, opened.split);
  expect_every_class(*train_rows, opened.split, *train);
  auto test_rows = std::make_unique<Rows>(train->shape);
  if (elsewhere) {
    add_known(*test_rows, test, opened.split);
    DatasetOptions options;
    options.split = request.unknown_split.empty()
                        ? find_split(request.unknown, {}, {"test", "val"}, view.images)
                        : request.unknown_split;
    const SourcePointer unknown = open_source(request.unknown, options, view, "osr train");
    expect_same_shape(*train, *unknown, "osr train");
    if (unknown->sha256 == test->sha256 || unknown->sha256 == train->sha256) {
      fail("osr train",
           fmt::format("--unknown {} holds the samples of --data {}; expected samples of "
                       "no known class",
                       request.unknown, data.path));
    }
    for (std::size_t i = 0; i < unknown->labels.size(); ++i) test_rows->add(unknown, i, -1);
    opened.unknown_split = unknown->split;
    opened.unknown_sha256 = unknown->sha256;
  } else {
    add_all(*test_rows, test, opened.split);
  }
  const auto unknown_count = std::ranges::count(test_rows->labels(), -1);
  if (std::cmp_equal(unknown_count, test_rows->size())) {
    fail("osr train", fmt::format("{}: no test sample of a known class", test_path));
  }
  if (unknown_count == 0) {
    fail("osr train",
         fmt::format("{}: no test sample is unknown; expected samples of other classes, or "
                     "--unknown DATA",
                     test_path));
  }
  opened.train = std::move(train_rows);
  opened.test = std::move(test_rows);
  opened.data = {.path = data.path,
                 .train_split = splits.train,
                 .test_split = splits.test,
                 .test_data = request.test_data,
                 .image_root = data.options.image_root,
                 .names = data.options.names,
                 .format = data.options.format,
                 .allow_duplicate_names = data.options.allow_duplicate_names,
                 .train_sha256 = train->sha256,
                 .test_sha256 = test->sha256};
  return opened;
}

OsrAnySamples open_osr_samples(const DataSpec& data, const std::string& known,
                               const std::string& split, OsrLabels labels, std::int64_t classes,
                               const OsrView& view, const char* function) {
  DatasetOptions options = data.options;
  if (options.split.empty()) {
    options.split = find_split(data.path, options, {"test", "val"}, view.images);
  }
  const SourcePointer source = open_source(data.path, options, view, function);
  auto rows = std::make_unique<Rows>(source->shape);
  OsrAnySamples opened;
  if (!known.empty() || !split.empty()) {
    const OsrSplit of_split = split_of(known, split, source->names, true, function);
    if (std::cmp_not_equal(of_split.known.size(), classes)) {
      fail(function, fmt::format("{} known classes are named, and the network has {}",
                                 of_split.known.size(), classes));
    }
    for (std::size_t i = 0; i < source->labels.size(); ++i) {
      rows->add(source, i, of_split.place_of(source->labels[i]));
    }
    opened.names = known_names(source->names, of_split);
  } else {
    const bool same =
        labels == OsrLabels::kAsTheyAre && std::cmp_equal(source->names.size(), classes);
    for (std::size_t i = 0; i < source->labels.size(); ++i) {
      rows->add(source, i, same ? source->labels[i] : -1);
    }
    if (same) opened.names = source->names;
  }
  if (rows->size() == 0) fail(function, fmt::format("{}: has no samples", data.path));
  opened.samples = std::move(rows);
  opened.sha256 = source->sha256;
  opened.split = source->split;
  opened.all_names = source->names;
  return opened;
}

}  // namespace openworld
