#include "openworld/scenarios/shift.h"

#include <algorithm>
#include <numeric>

#include "openworld/scenarios/same_names.h"
#include "openworld/scenarios/view_builder.h"

namespace openworld {
namespace {

constexpr auto kShiftName = "shift";

// The first `count` of a pool in random order, in ascending order.
std::vector<std::uint32_t> drawn(const std::vector<std::uint32_t>& pool, std::size_t count,
                                 std::uint64_t seed, Draw draw) {
  std::vector<std::uint32_t> samples;
  for (const std::uint32_t i : prefix(pool.size(), count, seed, draw)) samples.push_back(pool[i]);
  return samples;
}

}  // namespace

void Shift::declare(OptionList& list) {
  list.add("levels", levels_, "shares of the other look, from 0 to 1");
  list.add("mixture", mixture_, {"pools", "share"},
           "a level is the share of each pool that is kept, or the look's share of the images");
  declare_templates(list, templates_);
}

ScenarioPlan Shift::plan(const ScenarioData& data, std::uint64_t seed) const {
  const std::size_t classes = data.train.data.classes.size();
  ScenarioPlan plan{.train = {.order = std::vector<std::int32_t>(classes), .base = classes},
                    .views = {}};
  std::iota(plan.train.order.begin(), plan.train.order.end(), 0);
  const std::vector<double> times = parse_times(levels_, kShiftName);
  for (std::size_t look = 1; look < data.tests.size(); ++look) {
    const std::vector<std::int32_t> source =
        source_labels(data.tests[0], data.tests[look], classes, kShiftName);
    std::vector<bool> in_source(classes), in_look(source.size());
    for (std::size_t label = 0; label < source.size(); ++label) {
      if (source[label] < 0) continue;
      in_look[label] = true;
      in_source[static_cast<std::size_t>(source[label])] = true;
    }
    const auto source_pool = samples_of_classes(data.tests[0].data, in_source);
    const auto look_pool = samples_of_classes(data.tests[look].data, in_look);
    const std::size_t smaller = std::min(source_pool.size(), look_pool.size());
    for (const double t : times) {
      const bool pools = mixture_ == "pools";
      const std::size_t of_look = rounded_share(t, pools ? look_pool.size() : smaller);
      const std::size_t of_source =
          pools ? rounded_share(1 - t, source_pool.size()) : smaller - of_look;
      ViewBuilder view(data, data.tests[look].name, level_text(t), t);
      for (std::size_t label = 0; label < classes; ++label) {
        if (!in_source[label]) continue;
        view.add_base({.label = static_cast<std::int32_t>(label),
                       .templates = template_of(templates_, look)});
      }
      for (std::size_t label = 0; label < source.size(); ++label) {
        if (!in_look[label]) continue;
        view.add_images_like(look, static_cast<std::int32_t>(label), {.label = source[label]});
      }
      view.show(0, drawn(source_pool, of_source, seed, Draw::kSourceImages));
      view.show(look, drawn(look_pool, of_look, seed, Draw::kOtherImages));
      plan.views.push_back(std::move(view).finish());
    }
  }
  return plan;
}

}  // namespace openworld
