#pragma once

// A plan as JSON: what each level holds.
//
//   {"schema": "openworld.scenario/1", "scenario": "emerging", "scenario_version": 1, "seed": 1,
//    "options": {...},
//    "train": {"data":, "split":, "classes":, "of_classes":, "images":},
//    "tests": [{"data":, "split":, "classes":, "images":}, ...],
//    "views": [{"world":, "level":, "t": number or null,
//               "base": {"classes":, "images":}, "new": {"classes":, "images":},
//               "unknown": {"images":}, "source_images":, "columns": "view" or "train",
//               "removed": [{"name":, "data":, "shared_with": name or null}, ...]}, ...]}
//
// In full, "train" has "names", those of base classes in order; "base" and "new" of a view have
// "names" and "templates", of each name the index in "tests" of the dataset whose template it is
// put in; and a view has "samples", a list of [index in "tests", index of the sample there, its
// path, side, label].

#include <nlohmann/json_fwd.hpp>

#include "openworld/scenarios/scenario.h"

namespace openworld {

inline constexpr const char* kScenarioSchema = "openworld.scenario/1";

nlohmann::ordered_json plan_json(const Scenario& scenario, const ScenarioData& data,
                                 const ScenarioPlan& plan, std::uint64_t seed, bool full);

// The row and the options with their defaults.
nlohmann::ordered_json scenario_json(const ScenarioRow& row);

}  // namespace openworld
