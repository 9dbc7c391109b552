#include "openworld/scenarios/emerging.h"

#include <algorithm>

#include "openworld/io/class_choice.h"
#include "openworld/scenarios/view_builder.h"
#include "openworld/worlds/few_shot.h"

namespace openworld {

TrainingClasses drawn_half(const ScenarioData& data, std::uint64_t seed) {
  const std::size_t classes = data.train.data.classes.size();
  const std::vector<std::uint32_t> order = permutation(classes, seed, Draw::kClasses);
  return {.order = {order.begin(), order.end()}, .base = base_class_count(classes)};
}

View class_view(const ScenarioData& data, const TrainingClasses& train, double t, std::size_t base,
                std::size_t new_classes) {
  ViewBuilder view(data, data.tests[0].name, level_text(t), t);
  for (std::size_t i = 0; i < base; ++i) view.add_base({.label = train.order[i]});
  for (std::size_t i = 0; i < new_classes; ++i) {
    view.add_new({.label = train.order[train.base + i]});
  }
  view.show(0);
  return std::move(view).finish();
}

void Emerging::declare(OptionList& list) {
  list.add("levels", levels_, "new classes for each base class, from 0 to 1");
}

ScenarioPlan Emerging::plan(const ScenarioData& data, std::uint64_t seed) const {
  ScenarioPlan plan{.train = drawn_half(data, seed), .views = {}};
  const std::size_t base = plan.train.base, all_new = plan.train.order.size() - base;
  for (const double t : parse_times(levels_, "emerging")) {
    plan.views.push_back(
        class_view(data, plan.train, t, base, std::min(rounded_share(t, base), all_new)));
  }
  return plan;
}

}  // namespace openworld
