#include "openworld/scenarios/domain.h"

#include <set>

#include "openworld/scenarios/same_names.h"
#include "openworld/scenarios/view_builder.h"

namespace openworld {
namespace {

constexpr auto kDomainName = "domain";

View look_view(const ScenarioData& data, std::size_t look, std::size_t base) {
  const std::vector<std::int32_t> source =
      source_labels(data.tests[0], data.tests[look], base, kDomainName);
  ViewBuilder view(data, data.tests[look].name, "test");
  std::set<std::int32_t> present(source.begin(), source.end());
  present.erase(-1);
  for (const std::int32_t label : present) {
    const ViewClass name{.label = label};
    static_cast<std::size_t>(label) < base ? view.add_base(name) : view.add_new(name);
  }
  for (std::size_t label = 0; label < source.size(); ++label) {
    if (source[label] < 0) continue;
    view.add_images_like(look, static_cast<std::int32_t>(label), {.label = source[label]});
  }
  view.show(look, /*unknown=*/true);
  return std::move(view).finish();
}

}  // namespace

void Domain::declare(OptionList& list) {
  split_.declare(list);
  list.add("columns", columns_, {"view", "train"},
           "names that r compares: those of the look, or all training names and the look's new "
           "ones");
}

ScenarioPlan Domain::plan(const ScenarioData& data, std::uint64_t) const {
  ScenarioPlan plan{.train = split_.train(data, kDomainName), .views = {}};
  for (std::size_t look = 1; look < data.tests.size(); ++look) {
    plan.views.push_back(look_view(data, look, plan.train.base));
    plan.views.back().train_columns = columns_ == "train";
  }
  return plan;
}

}  // namespace openworld
