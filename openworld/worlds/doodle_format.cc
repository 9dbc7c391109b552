// Doodles as a dataset: drawn when asked for, encoded as PNG.

#include <fmt/format.h>

#include <algorithm>

#include "openworld/worlds/doodle_spec.h"
#include "openworld/worlds/drawn_source.h"
#include "openworld/worlds/folders.h"
#include "openworld/worlds/format.h"
#include "openworld/worlds/spec_text.h"

namespace openworld {
namespace {

// Class and number of the drawing, as one number.
std::uint64_t place_of(int class_index, int k) {
  return static_cast<std::uint64_t>(class_index) * kDrawingsPerClass +
         static_cast<std::uint64_t>(k);
}

class DoodleSource : public DrawnSource {
 public:
  explicit DoodleSource(const DoodleSpec& spec)
      : DrawnSource(spec.text()), spec_(spec), doodles_(Doodles::get()) {}

  Image draw(const Sample& sample) const override {
    const int class_index = static_cast<int>(sample.place / kDrawingsPerClass);
    const int k = static_cast<int>(sample.place % kDrawingsPerClass);
    const Look look = spec_.look->look;
    const std::uint64_t key = doodle_key(spec_.seed, class_index, k, look);
    return openworld::draw(doodles_, class_index, k, {.look = look, .key = key}).image;
  }

 private:
  DoodleSpec spec_;
  const Doodles& doodles_;
};

bool recognise_doodles(const std::string& path) {
  return names_world(path, is_doodle_spec(path));
}

Dataset open_doodles(const Origin& origin, const DatasetOptions& options) {
  const DoodleSpec spec = parse_doodle_spec(origin);
  Dataset dataset;
  for (const DoodleSplit& split : kDoodleSplits) dataset.splits.emplace_back(split.name);
  dataset.split = options.split.empty() ? "test" : options.split;
  require_split(dataset.split, dataset.splits, origin);
  const DoodleSplit& split = *std::ranges::find(kDoodleSplits, dataset.split, &DoodleSplit::name);

  const Doodles& doodles = Doodles::get();
  doodles.drawing(0, split.begin);  // a damaged file is refused here, not image by image
  dataset.root = spec.text();
  dataset.templates = spec.dataset->prompt;
  dataset.source = std::make_shared<DoodleSource>(spec);
  for (const std::string_view name : spec.dataset->classes) {
    const auto label = static_cast<std::int32_t>(dataset.classes.size());
    const int class_index = doodles.find(name);
    for (int k = split.begin; k < split.end; ++k) {
      dataset.samples.push_back({.path = fmt::format("{}/{}/{:03}.png", split.name, name, k),
                                 .label = label,
                                 .place = place_of(class_index, k)});
    }
    dataset.classes.emplace_back(name);
  }
  rename_classes(dataset, origin, options);
  return dataset;
}

}  // namespace

const DatasetFormat kDoodles = {
    "doodles",
    "bundled drawings: doodles:NAME, optionally with @LOOK and #SEED; see "
    "`openworld worlds`",
    false, recognise_doodles, open_doodles};

}  // namespace openworld
