#pragma once

// The images of a tuning job: a training dataset, the test datasets, and the shots of a seed.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "openworld/runs/tuning_request.h"
#include "openworld/scenarios/scenario.h"
#include "openworld/worlds/few_shot.h"

namespace openworld {

// The scenario of a request with its options; none if it has none. Throws Error.
std::optional<Scenario> choose_scenario(const TuningRequest& request);

// Of a request without a scenario the training and one test dataset. Throws Error if a split is not
// there, if the two have different classes, or if there are fewer than two classes.
ScenarioData open_tuning_data(const TuningRequest& request,
                              const std::optional<Scenario>& scenario);

// What one seed is tuned on: the first `base` classes of a dataset; and what it is tested on, where
// there is a scenario.
struct Episodes {
  Dataset train;
  std::size_t base = 0;
  std::optional<ScenarioPlan> plan;
  std::vector<std::int32_t> order;  // without a scenario: every label, base classes first
};
Episodes plan_episodes(const TuningRequest& request, const std::optional<Scenario>& scenario,
                       const ScenarioData& data, std::uint64_t seed);

// The training images of one seed, those of base classes, from all that the rule draws. Throws
// Error for a class with fewer than the shots asked for, unless that is allowed.
std::vector<std::size_t> draw_shots(const TuningRequest& request, const Dataset& train,
                                    std::size_t base, ShotRule rule, std::uint64_t seed);

// Throws Error if a split that is also tested on has no image left beside the shots.
void expect_images_left(const ScenarioData& data, const std::vector<std::size_t>& shots);

// The dataset with these of its samples, in this order.
Dataset some_samples(const Dataset& dataset, std::span<const std::size_t> samples);

// Which images a dataset has, in order: SHA-256 of paths and labels.
std::string list_sha256(const Dataset& dataset);

}  // namespace openworld
