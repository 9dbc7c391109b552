#pragma once

// Opens the datasets of a scenario: the source, and its looks or targets.
//
//   const ScenarioData data = open_scenario_data(find_scenario("domain"),
//       {.source = {"doodles:animals"}, .looks = {"chalk", "sketches/animals"}});

#include <string>
#include <vector>

#include "openworld/scenarios/scenario.h"
#include "openworld/worlds/train_test_data.h"

namespace openworld {

struct ScenarioDataRequest {
  TrainTestRequest source;
  // Where the source is a dataset of a bundled world, "chalk" is that dataset in the look, or of
  // the style, chalk, and the target "food@chalk" is another dataset of that world. Everything else
  // is what open_dataset() takes. Empty: default_looks() or default_targets().
  std::vector<std::string> looks = {};
  std::vector<std::string> targets = {};
};

// Looks are opened with the source's file of names, as they have classes of the source, and in its
// test split; targets with their own names, in the split test, else val. Datasets without splits
// are taken whole. Throws Error, as the scenario's name, for looks or targets that the scenario
// does not take, that it needs and the source has not, and that are given twice.
ScenarioData open_scenario_data(const ScenarioRow& row, const ScenarioDataRequest& request);

// The other looks, or styles, of a bundled dataset in one look, as far as they have test images:
// "doodles:animals@chalk", ... Empty for anything else.
std::vector<std::string> default_looks(const std::string& source);

// The other datasets of a bundled world in a look, each in the first look that is not the source's:
// targets of the same look would be no shift. Empty for anything else.
std::vector<std::string> default_targets(const std::string& source);

}  // namespace openworld
