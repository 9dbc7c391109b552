#include "openworld/scenarios/varying_ratio.h"

#include <algorithm>

namespace openworld {

void VaryingRatio::declare(OptionList& list) {
  list.add("levels", levels_, "shares of classes that are new, from 0 to 1");
}

ScenarioPlan VaryingRatio::plan(const ScenarioData& data, std::uint64_t seed) const {
  ScenarioPlan plan{.train = drawn_half(data, seed), .views = {}};
  const std::size_t base = plan.train.base, all_new = plan.train.order.size() - base;
  for (const double t : parse_times(levels_, "varying-ratio")) {
    const std::size_t gone = rounded_share(t, base);
    plan.views.push_back(class_view(data, plan.train, t, base - gone, std::min(gone, all_new)));
  }
  return plan;
}

}  // namespace openworld
