#include "openworld/worlds/few_shot.h"

#include <unordered_map>

#include "openworld/base/python_random.h"

namespace openworld {
namespace {

// The samples of every class, classes in order of first appearance.
std::vector<std::vector<std::size_t>> samples_by_class(const Dataset& dataset) {
  std::vector<std::vector<std::size_t>> groups;
  std::unordered_map<std::int32_t, std::size_t> group_of;
  for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
    const std::int32_t label = dataset.samples[i].label;
    if (label < 0) continue;
    const auto [found, is_new] = group_of.try_emplace(label, groups.size());
    if (is_new) groups.emplace_back();
    groups[found->second].push_back(i);
  }
  return groups;
}

}  // namespace

std::vector<std::size_t> few_shot_samples(const Dataset& dataset, std::size_t shots,
                                          std::uint64_t seed, ShotRule rule) {
  std::vector<std::size_t> chosen;
  PythonRandom random(seed);
  for (const auto& items : samples_by_class(dataset)) {
    if (rule == ShotRule::kDeCoop) random = PythonRandom(seed);
    if (shots == 0 || (items.size() < shots && rule == ShotRule::kCoop)) {
      chosen.insert(chosen.end(), items.begin(), items.end());
      continue;
    }
    const auto drawn = items.size() < shots ? random.choices(items.size(), shots)
                                            : random.sample(items.size(), shots);
    for (const std::size_t i : drawn) chosen.push_back(items[i]);
  }
  return chosen;
}

}  // namespace openworld
