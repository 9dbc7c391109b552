#pragma once

// What the tests of this folder share: small datasets without files.

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "openworld/base/random.h"
#include "openworld/io/test_util.h"
#include "openworld/scenarios/scenario.h"

namespace openworld::testing {

// A class and its number of images. The class "?" is for images without a class.
using ClassSizes = std::vector<std::pair<std::string, int>>;

// Its samples are in random order, so that no test relies on sorted lists.
inline ScenarioDataset dataset(const std::string& name, const ClassSizes& classes,
                               const std::string& templates = "") {
  ScenarioDataset result{name, {}};
  result.data.templates = templates;
  std::vector<Sample> samples;
  for (const auto& [class_name, images] : classes) {
    const bool unknown = class_name == "?";
    const auto label = unknown ? -1 : static_cast<std::int32_t>(result.data.classes.size());
    if (!unknown) result.data.classes.push_back(class_name);
    for (int i = 0; i < images; ++i) {
      samples.push_back({.path = class_name + "/" + std::to_string(i), .label = label});
    }
  }
  std::vector<std::uint32_t> order(samples.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
  Random random(samples.size());
  shuffle(order, random);
  for (const std::uint32_t i : order) result.data.samples.push_back(samples[i]);
  return result;
}

// `source` is trained and tested on.
inline ScenarioData with_source(const ClassSizes& source,
                                const std::vector<ScenarioDataset>& others = {}) {
  ScenarioData data{.train = dataset("source", source), .tests = {dataset("source", source)}};
  data.tests.insert(data.tests.end(), others.begin(), others.end());
  return data;
}

inline ScenarioPlan plan_of(const std::string& name, const ScenarioData& data,
                            std::uint64_t seed = 1,
                            std::initializer_list<const char*> options = {}) {
  Scenario scenario(name);
  for (const char* option : options) scenario.options().set(option, "test");
  return scenario.plan(data, seed);
}

using Names = std::vector<std::string>;

inline Names base_names(const ScenarioData& data, const View& view) {
  return class_names(data, view.base);
}
inline Names new_names(const ScenarioData& data, const View& view) {
  return class_names(data, view.new_classes);
}

// "source:cat/3 base cat" of every image: what it is, its side, and the name that is right.
inline std::set<std::string> shown(const ScenarioData& data, const View& view) {
  std::set<std::string> texts;
  for (const ViewImage& image : view.images) {
    const ScenarioDataset& from = data.tests[image.dataset];
    std::string text = from.name + ":" + from.data.samples[image.sample].path;
    if (image.side == Side::kBase) {
      text += " base " + base_names(data, view)[static_cast<std::size_t>(image.label)];
    } else if (image.side == Side::kNew) {
      text += " new " + new_names(data, view)[static_cast<std::size_t>(image.label)];
    }
    EXPECT_TRUE(texts.insert(text).second) << text << " is shown twice";
  }
  return texts;
}

// Of one dataset and side only.
inline std::set<std::string> shown(const ScenarioData& data, const View& view,
                                   const std::string& part) {
  std::set<std::string> texts;
  for (const std::string& text : shown(data, view)) {
    if (text.find(part) != std::string::npos) texts.insert(text);
  }
  return texts;
}

template <class T>
bool is_subset(const std::set<T>& small, const std::set<T>& large) {
  return std::includes(large.begin(), large.end(), small.begin(), small.end());
}

inline bool is_prefix(const Names& small, const Names& large) {
  return small.size() <= large.size() && std::equal(small.begin(), small.end(), large.begin());
}

}  // namespace openworld::testing
