#include "openworld/scenarios/ratio.h"

#include "openworld/scenarios/draws.h"

namespace openworld {
namespace {

constexpr auto kRatioName = "ratio";

}  // namespace

void Ratio::declare(OptionList& list) {
  split_.declare(list);
  list.add("levels", levels_, "multiples of the natural ratio of new to base images");
  thinning_.declare(list);
}

ScenarioPlan Ratio::plan(const ScenarioData& data, std::uint64_t seed) const {
  ScenarioPlan plan{.train = split_.train(data, kRatioName), .views = {}};
  expect_two_sides(data, plan.train, kRatioName);
  for (const double level : parse_levels(levels_, 1e-6, 1e6, kRatioName)) {
    View view = base_to_new(data, plan.train.base, level_text(level));
    view.t = level;
    if (level > 1) view = thinned(data, std::move(view), Side::kBase, 1 / level, thinning_, seed);
    if (level < 1) view = thinned(data, std::move(view), Side::kNew, level, thinning_, seed);
    plan.views.push_back(std::move(view));
  }
  return plan;
}

}  // namespace openworld
