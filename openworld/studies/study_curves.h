#pragma once

// Curves over the levels of a scenario, averaged over seeds, and what tables say of them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/analysis/drc_comparison.h"
#include "openworld/studies/study_table.h"

namespace openworld {

// What is linear in the accuracies, seed by seed.
struct SeedCurve {
  SeedValues acc0, auc;
};

struct StudyCurves {
  // Of the methods whose cells are all done, in their order.
  std::vector<std::size_t> methods;
  std::vector<DrcWorld> worlds;
  std::vector<std::vector<SeedCurve>> by_seed;  // [method][world], the average over worlds last
  std::optional<DrcComparison> comparison;      // none if no method is complete
  // How many cells of each method of the grid are done, and planned.
  std::vector<std::size_t> done, cells;
  std::vector<std::string> undefined;  // methods whose metric is undefined at some level
  bool against_reference = false;      // the reference is complete
};

// The number that a level is, if it is one.
std::optional<double> level_number(const std::string& level);

// Throws Error as [function] for levels that are not numbers from 0 to 1.
StudyCurves study_curves(const StudyGrid& grid, const std::string& metric,
                         const std::vector<std::string>& levels,
                         std::optional<std::size_t> reference, std::string_view function);

// Fills a table with the DRC metrics of one world, or their means over worlds; with intervals over
// seeds of what is linear in the accuracies, unless the table has no `interval`.
void add_drc(StudyTable& table, const StudyCurves& curves, std::optional<std::size_t> world);

// Appends the mean and the sample variance over the columns, which are levels, to every row of
// which all of them are complete.
void add_level_summary(StudyTable& table, const TableColumn& column);

}  // namespace openworld
