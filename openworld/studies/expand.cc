#include "openworld/studies/expand.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <variant>

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

// Every cell has texts of its own: 10,000 seeds of a plan of 64 KiB could hold gigabytes.
constexpr std::size_t kMostText = std::size_t{256} << 20;

std::size_t text_bytes(const OptionValues& values) {
  std::size_t bytes = 0;
  for (const auto& [name, value] : values) {
    bytes += name.size();
    if (const auto* const text = std::get_if<std::string>(&value)) bytes += text->size();
  }
  return bytes;
}

// Of a part of cells: its fields, and its options if it has some.
template <class Part>
std::size_t text_bytes(Part part) {
  OptionList list;
  part.declare(list);
  std::size_t bytes = text_bytes(list.values());
  if constexpr (requires { part.options; }) bytes += text_bytes(part.options);
  return bytes;
}

template <class Part>
std::size_t longest_text(const std::vector<Part>& parts) {
  std::size_t most = 0;
  for (const Part& part : parts) most = std::max(most, text_bytes(part));
  return most;
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

  std::vector<CellData> datasets;
  for (const PlanData& entry : plan.data) datasets.push_back(entry.data);
  const std::size_t text = longest_text(models) + longest_text(datasets) + longest_text(scenarios) +
                           longest_text(learners);
  const std::size_t count = models.size() * datasets.size() * scenarios.size() * learners.size() *
                            plan.shots.size() * plan.seeds.size();
  if (text * count > kMostText) {
    origin.fail(
        fmt::format("has {} cells with up to {} bytes of text each; expected at most {} "
                    "MiB in all",
                    count, text, kMostText >> 20));
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
    for (const CellData& data : datasets) {
      for (const CellScenario& scenario : scenarios) {
        for (const CellLearner& learner : learners) {
          for (const std::int64_t shots : plan.shots) {
            for (const std::int64_t seed : plan.seeds) {
              add({model, data, scenario, learner, shots, seed});
            }
          }
        }
      }
    }
  }
  return cells;
}

}  // namespace openworld
