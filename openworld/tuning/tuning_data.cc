#include "openworld/tuning/tuning_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "openworld/base/error.h"
#include "openworld/base/quotes.h"
#include "openworld/io/class_choice.h"
#include "openworld/scenarios/scenario_data.h"
#include "openworld/worlds/class_order.h"

namespace openworld {
namespace {}  // namespace

std::optional<Scenario> choose_scenario(const TuningRequest& request) {
  if (!request.scenario) return std::nullopt;
  Scenario scenario(request.scenario->name);
  for (const std::string& assignment : request.scenario->options) {
    scenario.options().set(assignment, std::string(scenario.row().name));
  }
  if (request.base != TuningRequest().base) {
    fail("tune", fmt::format("base is {}, for runs without a scenario; expected {}",
                             in_quotes(request.base),
                             scenario.options().has("base") ? "the scenario's option base"
                                                            : "the base classes of the scenario"));
  }
  return scenario;
}

ScenarioData open_tuning_data(const TuningRequest& request,
                              const std::optional<Scenario>& scenario) {
  const TrainTestRequest source{.path = request.data.path,
                                .options = request.data.options,
                                .train_split = request.train_split,
                                .test_split = request.test_split,
                                .test_path = request.test_data};
  if (scenario) {
    return open_scenario_data(
        scenario->row(),
        {.source = source, .looks = request.scenario->looks, .targets = request.scenario->targets});
  }
  TrainTest opened = open_train_test(source, "tune");
  return {.train = {request.data.path, std::move(opened.train)},
          .tests = {{request.test_data.empty() ? request.data.path : request.test_data,
                     std::move(opened.test)}},
          .same_images = opened.same_images};
}

Episodes plan_episodes(const TuningRequest& request, const std::optional<Scenario>& scenario,
                       const ScenarioData& data, std::uint64_t seed) {
  if (!scenario) {
    const Dataset& train = data.train.data;
    const std::vector<std::size_t> base =
        choose_base(request.base, train.classes.size(), train.classes, "tune");
    std::vector<std::int32_t> order = base_first(base, train.classes.size());
    return {reorder_classes(train, order), base.size(), std::nullopt, std::move(order)};
  }
  ScenarioPlan plan = scenario->plan(data, seed);
  return {training_dataset(data, plan.train), plan.train.base, std::move(plan), {}};
}

std::vector<std::size_t> draw_shots(const TuningRequest& request, const Dataset& train,
                                    std::size_t base, ShotRule rule, std::uint64_t seed) {
  std::vector<std::size_t> count(train.classes.size());
  for (const Sample& sample : train.samples) {
    if (sample.label >= 0) ++count[static_cast<std::size_t>(sample.label)];
  }
  for (std::size_t c = 0; c < base; ++c) {
    const std::size_t needed = std::max<std::size_t>(request.shots, 1);
    if (count[c] >= needed || (request.allow_fewer && count[c] > 0)) continue;
    fail("tune",
         fmt::format("{}: class {} has {} training image{}; expected {} or more{}",
                     request.data.path, in_quotes(train.classes[c]), count[c],
                     count[c] == 1 ? "" : "s", needed,
                     count[c] > 0 ? fmt::format(", or shots {} or allow-fewer", count[c]) : ""));
  }
  std::vector<std::size_t> drawn = few_shot_samples(train, request.shots, seed, rule);
  std::erase_if(drawn, [&](std::size_t i) {
    return train.samples[i].label >= static_cast<std::int32_t>(base);
  });
  return drawn;
}

void expect_images_left(const ScenarioData& data, const std::vector<std::size_t>& shots) {
  if (!data.same_images) return;
  const std::set<std::size_t> tuned_on(shots.begin(), shots.end());
  if (tuned_on.size() < data.train.data.samples.size()) return;
  fail("tune",
       "every image is tuned on and none is left to test; expected fewer shots, or another test "
       "split");
}

Dataset some_samples(const Dataset& dataset, std::span<const std::size_t> samples) {
  Dataset some = {.format = dataset.format,
                  .root = dataset.root,
                  .classes = dataset.classes,
                  .named = dataset.named,
                  .samples = {},
                  .splits = dataset.splits,
                  .split = dataset.split,
                  .skipped = dataset.skipped,
                  .templates = dataset.templates,
                  .source = dataset.source};
  some.samples.reserve(samples.size());
  for (const std::size_t i : samples) some.samples.push_back(dataset.samples[i]);
  return some;
}

}  // namespace openworld
