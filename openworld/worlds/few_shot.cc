#include "openworld/worlds/few_shot.h"

#include <fmt/format.h>

#include <charconv>
#include <unordered_map>

#include "openworld/base/error.h"
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

std::size_t base_class_count(std::size_t classes) {
  return classes / 2 + classes % 2;
}

std::size_t base_classes(const std::string& base, std::size_t classes,
                         const std::string& function) {
  if (base == "all") return classes;
  if (base == "half") return base_class_count(classes);
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(base.data(), base.data() + base.size(), count);
  if (error != std::errc() || end != base.data() + base.size() || count < 1 || count > classes) {
    fail(function, fmt::format("base is '{}'; expected all, half, or 1 to {}", base, classes));
  }
  return count;
}

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
