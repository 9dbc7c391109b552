#include "openworld/scenarios/imbalance.h"

namespace openworld {
namespace {

constexpr auto kImbalanceName = "imbalance";

}  // namespace

void Imbalance::declare(OptionList& list) {
  split_.declare(list);
  list.add("factor", factor_, 1e-6, 1, "what is left of each class that is thinned");
  thinning_.declare(list);
}

ScenarioPlan Imbalance::plan(const ScenarioData& data, std::uint64_t seed) const {
  ScenarioPlan plan{.train = split_.train(data, kImbalanceName), .views = {}};
  expect_two_sides(data, plan.train, kImbalanceName);
  const auto thin = [&](const char* level, Side side) {
    plan.views.push_back(
        thinned(data, base_to_new(data, plan.train.base, level), side, factor_, thinning_, seed));
  };
  thin("forward", Side::kNew);
  thin("backward", Side::kBase);
  return plan;
}

}  // namespace openworld
