#include "openworld/scenarios/cross_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "openworld/base/error.h"
#include "openworld/base/nearest_name.h"
#include "openworld/base/quotes.h"
#include "openworld/scenarios/same_names.h"
#include "openworld/scenarios/view_builder.h"

namespace openworld {
namespace {

constexpr auto kCrossDatasetName = "cross-dataset";

// The names of the list, comparable. Throws Error for one that no target has.
std::set<std::string> names_to_remove(const std::string& list, const ScenarioData& data) {
  std::set<std::string> known;
  std::vector<std::string> all;
  for (std::size_t target = 1; target < data.tests.size(); ++target) {
    for (const std::string& name : data.tests[target].data.classes) {
      if (known.insert(comparable_name(name)).second) all.push_back(name);
    }
  }
  std::set<std::string> names;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string name = comparable_name(std::string_view(list).substr(begin, end - begin));
    begin = end + 1;
    if (name.empty()) continue;
    if (!known.contains(name)) {
      const std::string near = nearest_name(name, all);
      fail(kCrossDatasetName,
           fmt::format("no target has the class {} that is to be removed; expected a "
                       "class of a target{}",
                       in_quotes(name),
                       near.empty() ? "" : ", did you mean " + in_quotes(near) + "?"));
    }
    names.insert(name);
  }
  return names;
}

}  // namespace

void CrossDataset::declare(OptionList& list) {
  split_.declare(list);
  declare_templates(list, templates_);
  list.add("remove", remove_, "further classes of the targets to remove, with commas between them");
}

ScenarioPlan CrossDataset::plan(const ScenarioData& data, std::uint64_t) const {
  ScenarioPlan plan{.train = split_.train(data, kCrossDatasetName), .views = {}};
  for (const ScenarioDataset& test : data.tests) expect_names(test, kCrossDatasetName);
  const std::vector<std::string>& source = data.tests[0].data.classes;
  const LabelIndex base(
      {source.begin(), source.begin() + static_cast<std::ptrdiff_t>(plan.train.base)});
  const std::set<std::string> unwanted = names_to_remove(remove_, data);
  for (std::size_t target = 1; target < data.tests.size(); ++target) {
    const ScenarioDataset& other = data.tests[target];
    const std::vector<std::size_t> images = images_per_class(other.data);
    ViewBuilder builder(data, other.name, "test");
    for (std::size_t label = 0; label < plan.train.base; ++label) {
      builder.add_base({.label = static_cast<std::int32_t>(label)});
    }
    std::vector<RemovedClass> removed;
    for (std::size_t c = 0; c < images.size(); ++c) {
      if (images[c] == 0) continue;
      const auto label = static_cast<std::int32_t>(c);
      const std::vector<std::int32_t>& shared = base.labels_of(other.data.classes[c]);
      if (!shared.empty()) {
        removed.push_back({target, label, source[static_cast<std::size_t>(shared[0])]});
      } else if (unwanted.contains(comparable_name(other.data.classes[c]))) {
        removed.push_back({target, label});
      } else {
        builder.add_new({target, label, template_of(templates_, target)});
      }
    }
    builder.show(0);
    builder.show(target);
    View view = std::move(builder).finish();
    if (view.new_classes.empty()) {
      fail(kCrossDatasetName,
           fmt::format("{}: all {} classes are base classes of {} or removed; expected "
                       "others, too",
                       other.name, removed.size(), data.tests[0].name));
    }
    view.removed = std::move(removed);
    plan.views.push_back(std::move(view));
  }
  return plan;
}

}  // namespace openworld
