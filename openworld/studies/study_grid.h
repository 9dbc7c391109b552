#pragma once

// The results of a study as tables need them: for each scenario the methods, the worlds and the
// seeds, and which of those cells are done.
//
// A method is a learner: its label, or its name with the options that distinguish it from other
// learners of the same name; with the shots and the model where they vary. A world is what a column
// shows: a dataset of the plan, or a look or target of a scenario.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "openworld/studies/study_store.h"

namespace openworld {

// A cell of a grid. The study and its states outlive it.
struct GridCell {
  const StudyCell* cell = nullptr;
  const CellStatus* status = nullptr;
  // By world, level and metric, as results name them; empty unless it is done.
  std::map<std::tuple<std::string, std::string, std::string>, std::optional<double>> values = {};

  bool done() const { return status->state == CellState::kDone; }
};

struct GridWorld {
  std::size_t data = 0;  // index into StudyGrid::data
  std::string world;     // as results name it; "" for a run without a scenario
  std::string name;      // of the column
};

// A metric of a method in a world at a level, seed by seed.
struct SeedValues {
  std::vector<std::int64_t> seeds;  // ascending: those that are done and have a value
  std::vector<double> values;       // by seed
  std::size_t done = 0;             // cells that are done
  std::size_t cells = 0;            // cells that the study has; 0: it was never planned

  bool complete() const { return done == cells && cells > 0; }
  // Every cell is done, and the metric is defined in all of them.
  bool defined() const { return complete() && values.size() == cells; }
  // Cells are done, but the metric is undefined in some of them.
  bool undefined() const { return values.size() < done; }
};

struct StudyGrid {
  std::string scenario;  // its name
  std::string title;     // its label, or its name with the options that scenarios differ in
  std::vector<std::string> methods;
  std::optional<std::size_t> zero_shot;  // the first method that is zero-shot CLIP
  std::vector<std::string> data;
  std::vector<GridWorld> worlds;
  std::vector<std::string> levels;   // as results name them, in their order; at least one
  std::vector<std::string> metrics;  // of all results, in the order of first appearance
  std::size_t cells = 0, done = 0;

  // Of a method on a dataset, by seed.
  const std::map<std::int64_t, GridCell>& of(std::size_t method, std::size_t data_index) const {
    return cells_of[method][data_index];
  }
  SeedValues values(std::size_t method, std::size_t world, const std::string& level,
                    const std::string& metric) const;

  std::vector<std::vector<std::map<std::int64_t, GridCell>>> cells_of;  // [method][data]
};

// One for each scenario of the study, in the order of the plan. Throws Error as [function] for two
// cells with the same scenario, method, dataset and seed.
// REQUIRES: a state for each cell.
std::vector<StudyGrid> study_grids(std::span<const StudyCell> cells,
                                   std::span<const CellStatus> states, std::string_view function);

}  // namespace openworld
