#pragma once

// From a plan to its cells.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/studies/plan.h"

namespace openworld {

// What a plan does not say and a cell's id depends on, and what it may name.
class PlanResolver {
 public:
  virtual ~PlanResolver() = default;

  // SHA-256 of the model's weights, 64 hexadecimal digits. Throws Error.
  virtual std::string model_sha256(const CellModel& model) = 0;
  // The version of a scenario's protocol. Throws Error for a scenario that does not exist.
  virtual std::int64_t scenario_version(const CellScenario& scenario) = 0;
  // Throws Error for a dataset that is not there.
  virtual void check_data(const CellData& data, const CellScenario& scenario) = 0;
  // Throws Error for a learner, an option of it or a value that the scenario does not have.
  virtual void check_learner(const CellLearner& learner, const CellScenario& scenario) = 0;
};

// A cell with its id and the name of its folder.
struct StudyCell {
  Cell cell;
  std::string id;
  std::string name;
};

// Every combination, in the order that plan.h describes. Throws Error as [function] of the file
// `path`, with the line for what the resolver refuses, and for two equal cells.
std::vector<StudyCell> expand_plan(const Plan& plan, PlanResolver& resolver, const Origin& origin);

}  // namespace openworld
