#include "openworld/scenarios/recognition.h"

#include <fmt/format.h>

#include <numeric>

#include "openworld/base/error.h"
#include "openworld/io/class_choice.h"
#include "openworld/scenarios/view_builder.h"
#include "openworld/worlds/few_shot.h"

namespace openworld {

void BaseSplit::declare(OptionList& list) {
  list.add("base", base, "base classes: half, all, or their number; the first by label");
}

TrainingClasses BaseSplit::train(const ScenarioData& data, std::string_view function) const {
  const std::size_t classes = data.train.data.classes.size();
  TrainingClasses train;
  train.order.resize(classes);
  std::iota(train.order.begin(), train.order.end(), 0);
  train.base = base_classes(base, classes, std::string(function));
  return train;
}

void expect_two_sides(const ScenarioData& data, const TrainingClasses& train,
                      std::string_view function) {
  if (train.base < train.order.size()) return;
  fail(function, fmt::format("{}: all {} classes are base; expected new ones, too", data.train.name,
                             train.base));
}

View base_to_new(const ScenarioData& data, std::size_t base, std::string level) {
  ViewBuilder view(data, data.tests[0].name, std::move(level));
  for (std::size_t label = 0; label < data.tests[0].data.classes.size(); ++label) {
    const ViewClass name{.label = static_cast<std::int32_t>(label)};
    label < base ? view.add_base(name) : view.add_new(name);
  }
  view.show(0, /*unknown=*/true);
  return std::move(view).finish();
}

void Recognition::declare(OptionList& list) {
  split_.declare(list);
}

ScenarioPlan Recognition::plan(const ScenarioData& data, std::uint64_t) const {
  ScenarioPlan plan{.train = split_.train(data, "recognition"), .views = {}};
  plan.views.push_back(base_to_new(data, plan.train.base, "test"));
  return plan;
}

}  // namespace openworld
