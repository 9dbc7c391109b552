#include "openworld/studies/study_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "openworld/base/error.h"
#include "openworld/base/nearest_name.h"
#include "openworld/base/split_list.h"
#include "openworld/studies/study_curves.h"

namespace openworld {
namespace {

constexpr TableAxisRow kAxes[] = {{"dataset", TableAxis::kDataset},
                                  {"metric", TableAxis::kMetric},
                                  {"level", TableAxis::kLevel},
                                  {"drc", TableAxis::kDrc}};

// Of the papers: Tables 2, 3, 10, 13 of OpenworldAUC; 11 and 12; the DRC tables of OpenPL, whose
// accuracy is among all names of the view; Table 2 of OpenAUC.
constexpr TableDefaults kDefaults[] = {
    {"recognition", TableAxis::kDataset, "openworld_auc"},
    {"imbalance", TableAxis::kDataset, "openworld_auc"},
    {"domain", TableAxis::kDataset, "openworld_auc"},
    {"cross-dataset", TableAxis::kDataset, "openworld_auc"},
    {"ratio", TableAxis::kLevel, "base_acc,new_acc,hm,auroc,overall_acc,openworld_auc"},
    {"emerging", TableAxis::kDrc, "overall_acc"},
    {"varying-ratio", TableAxis::kDrc, "overall_acc"},
    {"shift", TableAxis::kDrc, "overall_acc"},
    {"co-evolution", TableAxis::kDrc, "overall_acc"},
    {kOpenSetScenario, TableAxis::kDataset, "open_auc"},
};

// Builds the tables of one scenario.
class Builder {
 public:
  Builder(const StudyGrid& grid, const std::string& folder, const StudyTableOptions& options,
          std::string_view function)
      : grid_(grid), folder_(folder), options_(options), function_(function) {
    axis_ = options.axis.value_or(table_defaults(grid.scenario).axis);
    metrics_ = chosen_metrics();
    levels_ = chosen_levels();
    reference_ = chosen_reference();
  }

  std::vector<StudyTable> tables() {
    switch (axis_) {
      case TableAxis::kDataset:
        by_dataset();
        break;
      case TableAxis::kMetric:
        by_metric();
        break;
      case TableAxis::kLevel:
        by_level();
        break;
      case TableAxis::kDrc:
        by_drc();
        break;
    }
    for (StudyTable& table : tables_) finish(table);
    return std::move(tables_);
  }

 private:
  // Those of the scenario that results have; those of the user, or an Error.
  std::vector<std::string> chosen_metrics() const {
    std::vector<std::string> names;
    if (options_.metrics.empty()) {
      for (const std::string& name : split_list(table_defaults(grid_.scenario).metrics)) {
        if (grid_.metrics.empty() || has(grid_.metrics, name)) names.push_back(name);
      }
      if (names.empty()) names.push_back(grid_.metrics[0]);
      return names;
    }
    for (const std::string& given : options_.metrics) {
      const std::string name = find_metric(given).name;
      if (!grid_.metrics.empty() && !has(grid_.metrics, name)) {
        fail(function_, fmt::format("results of {} have no metric {}; {}", grid_.title, name,
                                    known_names(name, grid_.metrics)));
      }
      names.push_back(name);
    }
    return names;
  }

  std::vector<std::string> chosen_levels() const {
    if (options_.levels.empty()) return grid_.levels;
    std::vector<std::string> levels;
    for (const std::string& level : options_.levels) {
      if (has(grid_.levels, level)) {
        levels.push_back(level);
        continue;
      }
      fail(function_, fmt::format("{} has no level '{}'; {}", grid_.title, level,
                                  grid_.levels[0].empty() ? "it has only one"
                                                          : known_names(level, grid_.levels)));
    }
    return levels;
  }

  std::optional<std::size_t> chosen_reference() const {
    if (options_.against.empty()) return grid_.zero_shot;
    const auto found = std::find(grid_.methods.begin(), grid_.methods.end(), options_.against);
    if (found != grid_.methods.end()) return found - grid_.methods.begin();
    fail(function_, fmt::format("{} has no method '{}'; {}", grid_.title, options_.against,
                                known_names(options_.against, grid_.methods)));
  }

  static bool has(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  MeasuredLevel measure(const std::string& level) const {
    return measure_level(grid_, folder_, level, metrics_, reference_, options_.measure, function_);
  }

  StudyTable& start(const std::string& level, const std::string& metric) {
    StudyTable& table = tables_.emplace_back();
    table.scenario = grid_.scenario;
    table.title = grid_.title;
    table.axis = axis_;
    table.level = level;
    table.metric = metric;
    if (!metric.empty()) table.metric_title = metric_column(metric).title;
    table.worlds = grid_.worlds.size();
    table.methods = grid_.methods;
    table.cells.resize(grid_.methods.size());
    table.reference = reference_;
    table.confidence = options_.measure.bootstrap.level;
    table.done = grid_.done;
    table.planned = grid_.cells;
    return table;
  }

  static TableColumn metric_column(const std::string& metric) {
    const MetricRequest request = find_metric(metric);
    const MetricInfo& info = request.row->info;
    return {.name = metric,
            .title = metric_title(info, request.params),
            .scale = info.is_count ? 1.0 : 100.0,
            .decimals = info.is_count ? 1 : 2,
            .higher_is_better = info.higher_is_better};
  }

  // A column of a metric under another name.
  static TableColumn named(TableColumn column, const std::string& name) {
    column.name = column.title = name;
    return column;
  }

  static void take(StudyTable& table, const MeasuredLevel& measured) {
    table.interval = measured.interval;
    if (measured.note.empty() || measured.interval != "student_t") return;
    const std::string note =
        fmt::format("intervals are over seeds, not over test samples: {}", measured.note);
    if (!has(table.notes, note)) table.notes.push_back(note);
  }

  void by_dataset() {
    for (const std::string& level : levels_) {
      const MeasuredLevel measured = measure(level);
      for (std::size_t k = 0; k < metrics_.size(); ++k) {
        StudyTable& table = start(level, metrics_[k]);
        take(table, measured);
        const TableColumn column = metric_column(metrics_[k]);
        const bool many = grid_.worlds.size() > 1;
        for (const GridWorld& world : grid_.worlds) {
          table.columns.push_back(named(column, world.name));
        }
        if (many) table.columns.push_back(named(column, "average"));
        for (std::size_t m = 0; m < grid_.methods.size(); ++m) {
          const MeasuredMethod& method = measured.metrics[k][m];
          for (const StudyValue& value : method.worlds) table.cells[m].push_back({value});
          if (many) table.cells[m].push_back({method.average});
        }
      }
    }
  }

  // Calls each(world) for the average, where there are several worlds, and for each world.
  template <class Each>
  void for_worlds(const Each& each) const {
    if (grid_.worlds.size() > 1) each(std::optional<std::size_t>());
    for (std::size_t w = 0; w < grid_.worlds.size(); ++w) each(std::optional(w));
  }

  void of_world(StudyTable& table, std::optional<std::size_t> world) const {
    table.average = !world;
    if (world) table.world = grid_.worlds[*world].name;
  }

  static const StudyValue& value_of(const MeasuredMethod& method,
                                    std::optional<std::size_t> world) {
    return world ? method.worlds[*world] : method.average;
  }

  void by_metric() {
    for (const std::string& level : levels_) {
      const MeasuredLevel measured = measure(level);
      for_worlds([&](std::optional<std::size_t> world) {
        StudyTable& table = start(level, "");
        take(table, measured);
        of_world(table, world);
        for (std::size_t k = 0; k < metrics_.size(); ++k) {
          table.columns.push_back(metric_column(metrics_[k]));
          for (std::size_t m = 0; m < grid_.methods.size(); ++m) {
            table.cells[m].push_back({value_of(measured.metrics[k][m], world)});
          }
        }
      });
    }
  }

  void by_level() {
    std::vector<MeasuredLevel> measured;
    for (const std::string& level : levels_) measured.push_back(measure(level));
    for (std::size_t k = 0; k < metrics_.size(); ++k) {
      for_worlds([&](std::optional<std::size_t> world) {
        StudyTable& table = start("", metrics_[k]);
        of_world(table, world);
        const TableColumn column = metric_column(metrics_[k]);
        for (std::size_t i = 0; i < levels_.size(); ++i) {
          take(table, measured[i]);
          table.columns.push_back(named(column, levels_[i].empty() ? "all" : levels_[i]));
          for (std::size_t m = 0; m < grid_.methods.size(); ++m) {
            table.cells[m].push_back({value_of(measured[i].metrics[k][m], world)});
          }
        }
        if (levels_.size() > 1) add_level_summary(table, column);
      });
    }
  }

  void by_drc() {
    const StudyCi ci = options_.measure.ci;
    if (ci == StudyCi::kBootstrap) {
      fail(function_, fmt::format("{}: robustness curves have intervals over seeds alone; expected "
                                  "--ci seeds or auto",
                                  grid_.title));
    }
    for (const std::string& metric : metrics_) {
      const StudyCurves curves = study_curves(grid_, metric, levels_, reference_, function_);
      for_worlds([&](std::optional<std::size_t> world) {
        StudyTable& table = start("", metric);
        of_world(table, world);
        if (ci != StudyCi::kNone) table.interval = "student_t";
        add_drc(table, curves, world);
      });
    }
  }

  static bool is_better(const TableColumn& column, double a, double b) {
    return column.higher_is_better ? a > b : a < b;
  }

  void finish(StudyTable& table) const {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const TableColumn& column = table.columns[c];
      const auto takes_part = [&](std::size_t m) {
        const StudyValue& mine = table.cells[m][c].measured;
        return column.ranked && table.methods.size() > 1 && mine.value && mine.complete() &&
               !(column.relative && table.reference == m);
      };
      std::optional<double> best;
      for (std::size_t m = 0; m < table.methods.size(); ++m) {
        const std::optional<double>& value = table.cells[m][c].measured.value;
        if (takes_part(m) && (!best || is_better(column, *value, *best))) best = value;
      }
      for (std::size_t m = 0; m < table.methods.size(); ++m) {
        TableCell& cell = table.cells[m][c];
        const StudyValue& mine = cell.measured;
        cell.best = takes_part(m) && mine.value == best;
        if (!mine.p || !mine.difference || !(*mine.p < 1 - table.confidence)) continue;
        cell.mark = is_better(column, *mine.difference, 0) ? 1 : -1;
      }
    }
    if (table.done < table.planned) {
      table.notes.push_back(
          fmt::format("{} of {} cells are not done; what depends on them is "
                      "marked or left out",
                      table.planned - table.done, table.planned));
    }
  }

  const StudyGrid& grid_;
  const std::string& folder_;
  const StudyTableOptions& options_;
  std::string_view function_;
  TableAxis axis_;
  std::vector<std::string> metrics_, levels_;
  std::optional<std::size_t> reference_;
  std::vector<StudyTable> tables_;
};

}  // namespace

std::span<const TableAxisRow> table_axes() {
  return kAxes;
}

const TableDefaults& table_defaults(std::string_view scenario) {
  for (const TableDefaults& row : kDefaults) {
    if (row.scenario == scenario) return row;
  }
  return kDefaults[0];
}

std::vector<StudyTable> study_tables(std::span<const StudyGrid> grids, const std::string& folder,
                                     const StudyTableOptions& options, std::string_view function) {
  std::vector<std::string> titles;
  for (const StudyGrid& grid : grids) titles.push_back(grid.title);
  const auto matches = [](const StudyGrid& grid, const std::string& name) {
    return grid.title == name || grid.scenario == name;
  };
  for (const std::string& name : options.scenarios) {
    if (std::ranges::any_of(grids, [&](const StudyGrid& grid) { return matches(grid, name); })) {
      continue;
    }
    fail(function,
         fmt::format("the study has no scenario '{}'; {}", name, known_names(name, titles)));
  }
  std::vector<StudyTable> tables;
  for (const StudyGrid& grid : grids) {
    const bool wanted = options.scenarios.empty() ||
                        std::ranges::any_of(options.scenarios, [&](const std::string& name) {
                          return matches(grid, name);
                        });
    if (!wanted) continue;
    for (StudyTable& table : Builder(grid, folder, options, function).tables()) {
      tables.push_back(std::move(table));
    }
  }
  return tables;
}

std::string table_heading(const StudyTable& table) {
  std::string text = table.title;
  if (!table.level.empty()) text += ", " + table.level;
  std::vector<std::string> parts;
  if (!table.metric_title.empty()) parts.push_back(table.metric_title);
  if (!table.world.empty()) parts.push_back(table.world);
  if (table.average) parts.push_back(fmt::format("average of {} datasets", table.worlds));
  return parts.empty() ? text : fmt::format("{}: {}", text, fmt::join(parts, ", "));
}

}  // namespace openworld
