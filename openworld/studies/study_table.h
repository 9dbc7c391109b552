#pragma once

// The tables of a study, as papers print them: methods down, and across
//
//   dataset   a metric at a level on every dataset, the average last
//   metric    several metrics on one dataset, or on average
//   level     a metric at every level, then their mean and sample variance
//   drc       dynamic robustness of the curve over levels t (analysis/drc.h): Acc(0), AUC, WA, EVM,
//             VS, PA and NA, differences from zero-shot, Friedman ranks
//
// Curves are averaged over seeds before anything is computed from them. A value of which cells are
// missing says how many; averages over datasets and what follows from curves are left out then.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/studies/study_measure.h"

namespace openworld {

enum class TableAxis { kDataset, kMetric, kLevel, kDrc };

struct TableAxisRow {
  std::string_view name;  // of --by
  TableAxis axis;
};
std::span<const TableAxisRow> table_axes();

// What a scenario's table has across, and of which metrics, unless its user says otherwise.
struct TableDefaults {
  std::string_view scenario;
  TableAxis axis;
  std::string_view metrics;  // comma-separated
};
const TableDefaults& table_defaults(std::string_view scenario);

struct TableColumn {
  std::string name;    // for files: "doodles:animals", "average", "auc"
  std::string title;   // for people
  double scale = 100;  // of what people see: percent
  int decimals = 2;
  bool higher_is_better = true;
  bool ranked = true;     // the best value is marked
  bool sign = false;      // shown with its sign: a difference
  bool relative = false;  // to the reference, which takes no part in the ranking
};

struct TableCell {
  StudyValue measured;
  bool best = false;  // no other complete value of the column is better
  int mark = 0;       // 1 better than the reference beyond chance, -1 worse
};

struct StudyTable {
  std::string scenario, title;  // the scenario's name, and what tables call it
  TableAxis axis = TableAxis::kDataset;
  std::string level;   // "" where levels are across, or there is only one
  std::string metric;  // "" where metrics are across
  std::string metric_title;
  std::string world;     // "" for all of them, or their average
  bool average = false;  // over `worlds` worlds; not where datasets are across
  std::size_t worlds = 0;
  std::vector<TableColumn> columns;
  std::vector<std::string> methods;
  std::vector<std::vector<TableCell>> cells;  // [method][column]
  std::optional<std::size_t> reference;
  std::string_view interval;  // "two_way_bootstrap", "student_t" or ""
  double confidence = 0.95;
  std::size_t done = 0, planned = 0;  // cells of the scenario
  std::size_t blocks = 0;             // of Friedman ranks
  std::vector<std::string> notes;     // for people, each a sentence without full stop
};

struct StudyTableOptions {
  std::vector<std::string> scenarios;  // names or titles; empty: all
  std::vector<std::string> metrics;    // empty: the scenario's
  std::vector<std::string> levels;     // empty: all
  std::optional<TableAxis> axis;       // none: the scenario's
  std::string against;                 // a method; "": zero-shot, if there is one
  MeasureOptions measure;
};

// Throws Error as [function] for names that the study does not have, with the nearest, and for
// levels of which no curve can be made. `folder` is that of the study.
std::vector<StudyTable> study_tables(std::span<const StudyGrid> grids, const std::string& folder,
                                     const StudyTableOptions& options, std::string_view function);

// "imbalance, forward: OpenworldAUC", "emerging: OverallAcc, average of 10 datasets".
std::string table_heading(const StudyTable& table);

}  // namespace openworld
