#include "openworld/scenarios/thinning.h"

#include <algorithm>
#include <cassert>
#include <unordered_map>

#include "openworld/base/python_random.h"
#include "openworld/scenarios/draws.h"

namespace openworld {
namespace {

struct ClassImages {
  std::uint32_t label;              // in the source
  std::vector<std::size_t> images;  // places in the view
};

// The classes of a side, in order of first appearance.
std::vector<ClassImages> classes_of_side(const ScenarioData& data, const View& view, Side side) {
  std::vector<ClassImages> classes;
  std::unordered_map<std::int32_t, std::size_t> place_of;
  for (std::size_t i = 0; i < view.images.size(); ++i) {
    const ViewImage& image = view.images[i];
    if (image.side != side) continue;
    const std::int32_t label = data.tests[image.dataset].data.samples[image.sample].label;
    const auto [found, is_new] = place_of.try_emplace(label, classes.size());
    if (is_new) classes.push_back({static_cast<std::uint32_t>(label), {}});
    classes[found->second].images.push_back(i);
  }
  return classes;
}

// Python's `random` after few-shot sampling of DeCoOp's kind, which seeds before every class.
PythonRandom after_shots(const Dataset& train, std::size_t shots, std::uint64_t seed) {
  std::vector<std::int32_t> labels;  // in order of first appearance
  std::vector<std::size_t> count(train.classes.size());
  for (const Sample& sample : train.samples) {
    if (sample.label < 0) continue;
    if (count[static_cast<std::size_t>(sample.label)]++ == 0) labels.push_back(sample.label);
  }
  PythonRandom random(seed);
  if (labels.empty()) return random;
  const std::size_t last = count[static_cast<std::size_t>(labels.back())];
  last < shots ? random.choices(last, shots) : random.sample(last, shots);
  return random;
}

}  // namespace

void ThinningOptions::declare(OptionList& list) {
  list.add("draws", draws,
           {{"nested", ThinningDraws::kNested}, {"published", ThinningDraws::kPublished}},
           "images kept: prefixes of one permutation per class, or those of the published code");
  list.add("shots", shots, 1, 1 << 20, "training images of a class, for draws=published");
}

View thinned(const ScenarioData& data, View view, Side side, double share,
             const ThinningOptions& options, std::uint64_t seed) {
  assert(share > 0 && share <= 1);
  const bool published = options.draws == ThinningDraws::kPublished;
  PythonRandom python =
      published ? after_shots(data.train.data, static_cast<std::size_t>(options.shots), seed)
                : PythonRandom(seed);
  std::vector<bool> kept(view.images.size());
  for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = view.images[i].side != side;
  for (const ClassImages& one : classes_of_side(data, view, side)) {
    const std::size_t n = one.images.size();
    // A hair more, so that 0.7 of 90 is 63; the published code has 62.
    const double wanted = share * static_cast<double>(n) * (published ? 1 : 1 + 1e-12);
    const std::size_t count = std::min(n, static_cast<std::size_t>(std::max(wanted, 1.0)));
    if (published) {
      for (const std::size_t i : python.sample(n, count)) kept[one.images[i]] = true;
    } else {
      for (const std::uint32_t i : prefix(n, count, seed, Draw::kThinning, one.label)) {
        kept[one.images[i]] = true;
      }
    }
  }
  std::size_t i = 0;
  std::erase_if(view.images, [&](const ViewImage&) { return !kept[i++]; });
  return view;
}

}  // namespace openworld
