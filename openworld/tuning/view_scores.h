#pragma once

// Scores of a scenario's views: every image is encoded and scored once for all of them.

#include <set>
#include <string>
#include <vector>

#include "openworld/predictions/predictions.h"
#include "openworld/scenarios/scenario.h"
#include "openworld/tuning/tuning_run.h"

namespace openworld {

// What a run of a scenario is tested on.
struct TestViews {
  const ScenarioPlan* plan = nullptr;
  std::vector<NameColumns> columns;                   // of each view
  std::vector<std::vector<std::string>> class_names;  // of each view, base classes first
  std::vector<const TestImages*> datasets;  // of the plan, without images that cannot be read
  std::set<std::size_t> tuned_on = {};      // images of the first that are left out
};

struct ScoredViews {
  std::vector<Predictions> views;
  std::int64_t images = 0;  // that were scored, each once
};

// The compact arrays of each view, without names and meta. Rows are the images of the view, in
// order. An answer is the first of equal logits, as in predictions with logits. Throws Error if
// scores hold NaN or infinity, or if a view has no images left.
ScoredViews score_views(const ViewScorer& scorer, ImageInput input, const TestViews& test);

}  // namespace openworld
