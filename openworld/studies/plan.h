#pragma once

// Plan: what a study computes, from a file PLAN.toml.
//
//   name = "two learners"
//   models = ["pocket"]
//   data = ["doodles:animals", {path = "photos", templates = "a photo of a {}."}]
//   scenarios = ["recognition"]        # the default
//   shots = [4, 16]                    # 16
//   seeds = "1-3"                      # [1, 2, 3]; 1
//
//   [[learners]]
//   name = "coop"
//   options = {lr = [0.002, 0.01], tokens = 4}      # a list is swept
//
// A plan is every combination: models x data x scenarios x learners x their swept options x shots x
// seeds, in that order, the last fastest. An entry of models, data, scenarios and learners is a
// name or a table; its keys are the fields of cell.h. In the options of a scenario, and for looks
// and targets, a list is one value, its items joined by commas.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/io/origin.h"
#include "openworld/studies/cell.h"

namespace openworld {

// An option of a learner with the values that it takes one after the other.
struct SweptOption {
  std::string name;
  std::vector<OptionValue> values;
  std::int64_t line = 0;
};

// Entries know the line they begin at, for messages.
struct PlanModel {
  CellModel model;
  std::int64_t line = 0;
};

struct PlanData {
  CellData data;
  std::int64_t line = 0;
};

struct PlanScenario {
  CellScenario scenario;
  std::int64_t line = 0;
};

struct PlanLearner {
  CellLearner learner;             // without options
  std::vector<SweptOption> sweep;  // by name, ascending
  std::int64_t line = 0;
};

struct Plan {
  std::string name;
  std::vector<PlanModel> models;
  std::vector<PlanData> data;
  std::vector<PlanScenario> scenarios;
  std::vector<PlanLearner> learners;
  std::vector<std::int64_t> shots;
  std::vector<std::int64_t> seeds;

  // The number of combinations.
  std::size_t size() const;
};

inline constexpr std::size_t kMostPlanBytes = std::size_t{1} << 16;
inline constexpr std::size_t kMostCells = 100'000;

// Throw Error with the line: for what is not TOML, an unknown key, a value of the wrong type, a
// missing or empty list, more than kMostPlanBytes or kMostCells.
Plan parse_plan(std::string_view text, const Origin& origin);
Plan read_plan(const std::string& path, std::string_view function);

}  // namespace openworld
