#include "openworld/studies/expand.h"

#include <fmt/format.h>

#include <map>

#include "openworld/base/error.h"
#include "openworld/studies/toml_entry.h"

namespace openworld {
namespace {

// Calls `resolve`; an Error gets the line of the entry.
template <class F>
auto with_line(const Origin& origin, std::int64_t line, F&& resolve) {
  try {
    return resolve();
  } catch (const Error& error) {
    if (line == 0) origin.fail(error.message());
    fail_at(origin, line, error.message());
  }
}

// A learner for every combination of its swept options, the last option fastest.
std::vector<CellLearner> swept_learners(const PlanLearner& entry) {
  std::vector<CellLearner> learners{entry.learner};
  for (const SweptOption& option : entry.sweep) {
    std::vector<CellLearner> longer;
    for (const CellLearner& learner : learners) {
      for (const OptionValue& value : option.values) {
        longer.push_back(learner);
        longer.back().options.push_back({option.name, value});
      }
    }
    learners = std::move(longer);
  }
  return learners;
}

// Options one by one, since each has a line of its own.
void check_learner(const PlanLearner& entry, const CellScenario& scenario, PlanResolver& resolver,
                   const Origin& origin) {
  with_line(origin, entry.line, [&] { resolver.check_learner(entry.learner, scenario); });
  for (const SweptOption& option : entry.sweep) {
    for (const OptionValue& value : option.values) {
      CellLearner learner = entry.learner;
      learner.options.push_back({option.name, value});
      with_line(origin, option.line, [&] { resolver.check_learner(learner, scenario); });
    }
  }
}

}  // namespace

std::vector<StudyCell> expand_plan(const Plan& plan, PlanResolver& resolver, const Origin& origin) {
  std::vector<CellModel> models;
  for (const PlanModel& entry : plan.models) {
    models.push_back(entry.model);
    models.back().sha256 =
        with_line(origin, entry.line, [&] { return resolver.model_sha256(entry.model); });
  }
  std::vector<CellScenario> scenarios;
  for (const PlanScenario& entry : plan.scenarios) {
    scenarios.push_back(entry.scenario);
    scenarios.back().version =
        with_line(origin, entry.line, [&] { return resolver.scenario_version(entry.scenario); });
    for (const PlanData& data : plan.data) {
      with_line(origin, data.line, [&] { resolver.check_data(data.data, entry.scenario); });
    }
    for (const PlanLearner& learner : plan.learners) {
      check_learner(learner, entry.scenario, resolver, origin);
    }
  }
  std::vector<CellLearner> learners;
  for (const PlanLearner& entry : plan.learners) {
    for (CellLearner& learner : swept_learners(entry)) learners.push_back(std::move(learner));
  }

  std::vector<StudyCell> cells;
  std::map<std::string, std::size_t> names;
  const auto add = [&](Cell cell) {
    const std::string id = cell_id(cell);
    std::string name = cell_name(cell, id);
    if (const auto [other, added] = names.emplace(name, cells.size()); !added) {
      origin.fail(fmt::format("has the cell {} twice", cell_text(cell)));
    }
    cells.push_back({std::move(cell), id, std::move(name)});
  };
  for (const CellModel& model : models) {
    for (const PlanData& data : plan.data) {
      for (const CellScenario& scenario : scenarios) {
        for (const CellLearner& learner : learners) {
          for (const std::int64_t shots : plan.shots) {
            for (const std::int64_t seed : plan.seeds) {
              add({model, data.data, scenario, learner, shots, seed});
            }
          }
        }
      }
    }
  }
  return cells;
}

}  // namespace openworld
