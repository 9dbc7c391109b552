#include "openworld/studies/study_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "openworld/base/error.h"
#include "openworld/base/name_index.h"

namespace openworld {
namespace {

using Strings = std::vector<std::string>;

// How many places of a grid a cell may stand for.
constexpr std::size_t kSparse = 8, kFewCells = 10'000;

std::string shown(const std::string& label, const std::string& name) {
  return label.empty() ? name : label;
}

// What distinguishes parts of cells that would have the same name.
class Names {
 public:
  using Keys = std::vector<std::pair<std::string, std::string>>;

  // Parts with a label are told apart from those with that name.
  struct Part {
    std::string label, name;
    Keys keys;  // what may distinguish it

    std::string shown() const { return label.empty() ? name : label; }
    bool operator<(const Part& other) const {
      return std::tie(label, name) < std::tie(other.label, other.name);
    }
  };

  void see(const Part& part) {
    Seen& seen = seen_[part];
    ++seen.count;
    for (const auto& [key, value] : part.keys) ++seen.values[key][value];
  }

  std::string of(const Part& part) const {
    std::string text = part.shown();
    const Seen& seen = seen_.at(part);
    for (const auto& [key, value] : part.keys) {
      const auto& values = seen.values.at(key);
      // One value for all of that name: it distinguishes nothing.
      if (values.size() == 1 && values.begin()->second == seen.count) continue;
      text += fmt::format(" {}={}", key, value);
    }
    return text;
  }

 private:
  struct Seen {
    std::size_t count = 0;
    std::map<std::string, std::map<std::string, std::size_t>> values;  // by key
  };
  std::map<Part, Seen> seen_;
};

Names::Keys option_keys(const OptionValues& options) {
  Names::Keys keys;
  for (const auto& [name, value] : options) keys.emplace_back(name, option_text(value));
  return keys;
}

// Options do not distinguish learners with a label of their own; shots and models always do.
Names::Part method_part(const Cell& cell) {
  Names::Part part{cell.learner.label, cell.learner.label.empty() ? cell.learner.name : "", {}};
  Names::Keys& keys = part.keys;
  if (cell.learner.label.empty()) {
    keys = option_keys(cell.learner.options);
    keys.emplace_back("shot_rule", cell.learner.shot_rule);
    keys.emplace_back("views", std::to_string(cell.learner.views));
    keys.emplace_back("augment", cell.learner.augment ? "true" : "false");
  }
  keys.emplace_back("shots", std::to_string(cell.shots));
  keys.emplace_back("model", shown(cell.model.label, cell.model.path));
  return part;
}

Names::Part scenario_part(const CellScenario& scenario) {
  if (!scenario.label.empty()) return {scenario.label, "", {}};
  Names::Part part{"", scenario.name, option_keys(scenario.options)};
  part.keys.emplace_back("looks", scenario.looks);
  part.keys.emplace_back("targets", scenario.targets);
  return part;
}

// Known classes distinguish entries of one dataset, as the published splits do by their names.
std::string data_name(const Cell& cell) {
  const std::string& known = cell.data.known;
  const std::string& path = cell.data.path;
  return shown(cell.data.label, known.empty() ? path : fmt::format("{} known={}", path, known));
}

GridCell grid_cell(const StudyCell& cell, const CellStatus& status) {
  GridCell result{.cell = &cell, .status = &status};
  if (!result.done()) return result;
  for (const CellValue& value : status.result->values) {
    result.values[{value.world, value.level, value.metric}] = value.value;
  }
  return result;
}

// Worlds of the data in the order of its results. One that no result is known of yet has the data's
// name.
Strings worlds_of(const StudyGrid& grid, std::size_t data) {
  Strings worlds;
  NameIndex index;
  for (const auto& by_data : grid.cells_of) {
    for (const auto& [seed, cell] : by_data[data]) {
      if (!cell.done()) continue;
      for (const CellValue& value : cell.status->result->values)
        index.index_of(value.world, worlds);
    }
  }
  if (worlds.empty()) worlds.emplace_back();
  return worlds;
}

// The last part of the name of a world is enough where it is the data's own.
std::string world_name(const StudyGrid& grid, std::size_t data, const std::string& path,
                       const std::string& world) {
  if (world.empty() || world == path) return grid.data[data];
  return grid.data.size() == 1 ? world : fmt::format("{} > {}", grid.data[data], world);
}

void add_views(StudyGrid& grid, const std::vector<std::string>& paths) {
  for (std::size_t d = 0; d < grid.data.size(); ++d) {
    for (const std::string& world : worlds_of(grid, d)) {
      grid.worlds.push_back({d, world, world_name(grid, d, paths[d], world)});
    }
  }
  NameIndex levels, metrics;
  for (const auto& by_data : grid.cells_of) {
    for (const auto& by_seed : by_data) {
      for (const auto& [seed, cell] : by_seed) {
        ++grid.cells;
        if (!cell.done()) continue;
        ++grid.done;
        for (const CellValue& value : cell.status->result->values) {
          levels.index_of(value.level, grid.levels);
          metrics.index_of(value.metric, grid.metrics);
        }
      }
    }
  }
  if (grid.levels.empty()) grid.levels.emplace_back();
}

}  // namespace

SeedValues StudyGrid::values(std::size_t method, std::size_t world, const std::string& level,
                             const std::string& metric) const {
  SeedValues result;
  const GridWorld& of_world = worlds[world];
  for (const auto& [seed, cell] : of(method, of_world.data)) {
    ++result.cells;
    if (!cell.done()) continue;
    ++result.done;
    const auto found = cell.values.find({of_world.world, level, metric});
    if (found == cell.values.end() || !found->second) continue;
    result.seeds.push_back(seed);
    result.values.push_back(*found->second);
  }
  return result;
}

std::vector<StudyGrid> study_grids(std::span<const StudyCell> cells,
                                   std::span<const CellStatus> states, std::string_view function) {
  Names methods, scenarios;
  for (const StudyCell& each : cells) {
    methods.see(method_part(each.cell));
    scenarios.see(scenario_part(each.cell.scenario));
  }
  std::vector<StudyGrid> grids;
  std::vector<Strings> paths;  // of the data of each grid
  struct Places {
    NameIndex methods, data;
    std::size_t cells = 0;
  };
  std::vector<Places> places;  // by grid
  Strings titles;
  NameIndex title_places;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell& cell = cells[i].cell;
    const std::string title = scenarios.of(scenario_part(cell.scenario));
    const std::size_t g = title_places.index_of(title, titles);
    if (g == grids.size()) {
      grids.push_back({.scenario = cell.scenario.name,
                       .title = title,
                       .methods = {},
                       .zero_shot = {},
                       .data = {},
                       .worlds = {},
                       .levels = {},
                       .metrics = {},
                       .cells_of = {}});
      paths.emplace_back();
      places.emplace_back();
    }
    StudyGrid& grid = grids[g];
    const std::size_t m = places[g].methods.index_of(methods.of(method_part(cell)), grid.methods);
    const std::size_t d = places[g].data.index_of(data_name(cell), grid.data);
    if (d == paths[g].size()) paths[g].push_back(cell.data.path);
    if (cell.learner.name == "zero-shot" && !grid.zero_shot) grid.zero_shot = m;
    // Plans have every method on every dataset; a grid that is nearly empty is not from a plan.
    if (grid.methods.size() * grid.data.size() > kSparse * ++places[g].cells + kFewCells) {
      fail(function,
           fmt::format("{} methods on {} datasets have {} cells; expected a cell for each",
                       grid.methods.size(), grid.data.size(), places[g].cells));
    }
    if (m == grid.cells_of.size()) grid.cells_of.emplace_back(grid.data.size());
    if (d == grid.cells_of[0].size()) {
      for (auto& by_data : grid.cells_of) by_data.resize(grid.data.size());
    }
    const auto [there, added] =
        grid.cells_of[m][d].emplace(cell.seed, grid_cell(cells[i], states[i]));
    if (added) continue;
    fail(function, fmt::format("{} and {} have the same label; expected labels that tell them "
                               "apart",
                               there->second.cell->name, cells[i].name));
  }
  for (std::size_t g = 0; g < grids.size(); ++g) add_views(grids[g], paths[g]);
  return grids;
}

}  // namespace openworld
