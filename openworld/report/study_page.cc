#include "openworld/report/study_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "openworld/report/finding.h"
#include "openworld/report/html_page.h"
#include "openworld/report/page_data.h"
#include "openworld/report/study_table_text.h"
#include "openworld/report/svg_plot.h"
#include "openworld/stats/seeds.h"
#include "openworld/studies/study_curves.h"
#include "openworld/studies/study_progress.h"

namespace openworld {
namespace {

std::string progress_line(const StudyProgress& progress) {
  std::string text = fmt::format("{} cells: {} done", progress.cells, progress.done);
  const auto add = [&](std::size_t count, const char* state) {
    if (count > 0) text += fmt::format(", {} {}", count, state);
  };
  add(progress.failed, "failed");
  add(progress.running, "running");
  add(progress.stale, "stale");
  add(progress.waiting, "waiting");
  return text;
}

HtmlTable html_table(HtmlPage& page, const StudyTable& table) {
  std::vector<std::string> header = {"method"};
  for (const TableColumn& column : table.columns) header.push_back(column.title);
  HtmlTable result(header);
  for (std::size_t m = 0; m < table.methods.size(); ++m) {
    std::vector<HtmlTable::Cell> row = {{.text = table.methods[m]}};
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const TableColumn& column = table.columns[c];
      const TableCell& cell = table.cells[m][c];
      const StudyValue& value = cell.measured;
      HtmlTable::Cell shown{.text = table_value_text(column, value)};
      if (value.value) {
        for (const std::string& part : {table_reach_text(column, value), table_count_text(value)}) {
          if (!part.empty()) shown.text += " " + part;
        }
      }
      shown.best = cell.best;
      if (cell.mark != 0) {
        shown.mark = cell.mark > 0 ? HtmlTable::Mark::kBetter : HtmlTable::Mark::kWorse;
      }
      shown.hint = value.undefined
                       ? "undefined"
                       : fmt::format("{} of {} cells are done", value.done, value.cells);
      if (value.interval) {
        shown.hint = fmt::format("{:g} % interval {:.{}f} to {:.{}f}", value.interval->level * 100,
                                 value.interval->low * column.scale, column.decimals,
                                 value.interval->high * column.scale, column.decimals);
      }
      if (value.p) shown.hint += fmt::format("; p (Holm) {:.4f}", *value.p);
      row.push_back(std::move(shown));
    }
    result.add(std::move(row), page.method(table.methods[m]), HtmlTable::Kind::kMethod);
  }
  return result;
}

void add_tables(HtmlPage& page, const StudyGrid& grid, std::span<const StudyTable> tables) {
  std::string notes;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const StudyTable& table = tables[i];
    if (table.title != grid.title) continue;
    // The tables of single datasets are folded where there is an average of them.
    if (!table.world.empty() && table.worlds > 1) {
      page.folded_table(table_heading(table), html_table(page, table));
      continue;
    }
    page.heading(table_heading(table));
    page.table(html_table(page, table));
    notes = "Bold: best of the column.";
    for (const std::string& note : {interval_note(table), test_note(table, "▲", "▼")}) {
      if (!note.empty()) notes += " " + note + ".";
    }
    for (const std::string& note : table.notes) notes += " " + note + ".";
    page.note(notes);
  }
}

// A metric over the levels of a world, a line for each method: the means of complete levels.
Plot level_plot(HtmlPage& page, const StudyGrid& grid, std::size_t world, const std::string& metric,
                const std::vector<std::pair<double, std::string>>& levels, bool logarithmic) {
  Plot plot{.title = fmt::format("{} on {}", metric, grid.worlds[world].name),
            .x_title = logarithmic ? "log10 of the ratio" : "level t",
            .y_title = metric,
            .lines = {},
            .look = SvgLook::kPage};
  double low = 1, high = 0;
  for (std::size_t m = 0; m < grid.methods.size(); ++m) {
    PlotLine& line = plot.lines.emplace_back(PlotLine{.name = grid.methods[m], .x = {}, .y = {}});
    line.method = static_cast<int>(page.method(grid.methods[m]));
    for (const auto& [t, level] : levels) {
      const SeedValues values = grid.values(m, world, level, metric);
      if (!values.defined()) continue;
      const double mean = summarize_seeds(values.values).mean;
      line.x.push_back(logarithmic ? std::log10(t) : t);
      line.y.push_back(mean);
      low = std::min(low, mean);
      high = std::max(high, mean);
    }
  }
  if (low > high) return plot;
  plot.y = round_range(low, high);
  plot.y.percent = low >= 0 && high <= 1;
  if (logarithmic)
    plot.x = round_range(std::log10(levels[0].first), std::log10(levels.back().first));
  return plot;
}

bool has_points(const Plot& plot) {
  return std::ranges::any_of(plot.lines, [](const PlotLine& line) { return line.x.size() > 1; });
}

void add_curves(HtmlPage& page, const StudyGrid& grid, std::span<const StudyTable> tables) {
  std::vector<std::pair<double, std::string>> levels;
  for (const std::string& level : grid.levels) {
    if (const auto t = level_number(level)) levels.emplace_back(*t, level);
  }
  if (levels.size() < 2 || levels.size() < grid.levels.size()) return;
  std::ranges::sort(levels);
  const bool logarithmic = levels.back().first > 1 && levels[0].first > 0;
  std::vector<std::string> metrics;
  for (const StudyTable& table : tables) {
    const bool known = std::ranges::find(metrics, table.metric) != metrics.end();
    if (table.title == grid.title && !table.metric.empty() && !known) {
      metrics.push_back(table.metric);
    }
  }
  std::vector<std::pair<std::string, Plot>> plots;
  for (const std::string& metric : metrics) {
    for (std::size_t w = 0; w < grid.worlds.size(); ++w) {
      Plot plot = level_plot(page, grid, w, metric, levels, logarithmic);
      if (has_points(plot)) plots.emplace_back(plot.title, std::move(plot));
    }
  }
  if (plots.empty()) return;
  page.heading("Curves over levels, means over seeds");
  std::vector<HtmlPage::Key> keys;
  for (std::size_t m = 0; m < grid.methods.size(); ++m) {
    keys.push_back({grid.methods[m], page.method(grid.methods[m])});
  }
  page.legend(keys);
  page.begin_figures();
  for (const auto& [caption, plot] : plots) page.figure(caption, svg(plot));
  page.end_figures();
}

void add_unfinished(HtmlPage& page, const StudyPageInput& input, const StudyProgress& progress) {
  if (progress.complete()) return;
  page.section("Unfinished cells");
  page.paragraph(progress_line(progress) + ".");
  if (!progress.failures.empty()) {
    HtmlTable failures({"error", "cells", "attempts", "first cell"});
    for (const FailureGroup& group : progress.failures) {
      failures.add({{.text = group.error},
                    {.text = std::to_string(group.cells.size())},
                    {.text = std::to_string(group.attempts)},
                    {.text = group.cells[0]}});
    }
    page.heading("Failures");
    page.table(failures);
  }
  HtmlTable missing({"cell", "state"});
  std::size_t rows = 0;
  for (std::size_t i = 0; i < input.cells.size(); ++i) {
    if (input.states[i].state == CellState::kDone) continue;
    missing.add({{.text = cell_text(input.cells[i].cell)},
                 {.text = cell_state_name(input.states[i].state)}});
    ++rows;
  }
  page.folded_table(fmt::format("{} cells that are not done", rows), missing);
}

// About the last column of the first table that is not of a single dataset among several.
std::string study_finding(std::span<const StudyTable> tables) {
  for (const StudyTable& table : tables) {
    if (!table.world.empty() && table.worlds > 1) continue;
    if (table.columns.empty()) continue;
    // Of robustness curves the area below them.
    const bool is_curve = table.axis == TableAxis::kDrc;
    const auto area = std::ranges::find(table.columns, "auc", &TableColumn::name);
    const std::size_t c = is_curve && area != table.columns.end()
                              ? static_cast<std::size_t>(area - table.columns.begin())
                              : table.columns.size() - 1;
    const TableColumn& column = table.columns[c];
    if (!column.ranked || column.relative) continue;
    FindingInput input{.metric = table.metric.empty() ? column.title : table.metric_title,
                       .higher_is_better = column.higher_is_better,
                       .scale = column.scale,
                       .where = table.metric.empty() ? "" : fmt::format("({})", column.title),
                       .level = table.confidence,
                       .entries = {}};
    for (std::size_t m = 0; m < table.methods.size(); ++m) {
      const StudyValue& value = table.cells[m][c].measured;
      if (!value.value || !value.complete()) continue;
      if (table.reference == m) input.reference = input.entries.size();
      input.entries.push_back({.name = table.methods[m],
                               .value = *value.value,
                               .interval = value.interval,
                               .difference = value.difference,
                               .p = value.p});
    }
    if (!input.entries.empty()) return table.title + ": " + finding_text(input);
  }
  return "";
}

}  // namespace

StudyPageData::StudyPageData(const std::string& folder, const StudyTableOptions& options,
                             std::string_view function)
    : store_(std::make_unique<StudyStore>(folder, function)),
      name_(store_->study().name.empty() ? "Study" : store_->study().name),
      states_(store_->statuses()),
      grids_(study_grids(store_->cells(), states_, function)),
      tables_(study_tables(grids_, folder, options, function)) {}

StudyPageInput StudyPageData::input(std::string title) const {
  return {.title = std::move(title),
          .cells = store_->cells(),
          .states = states_,
          .grids = grids_,
          .tables = tables_};
}

std::string describe_study(const StudyPageInput& input) {
  return progress_line(study_progress(input.cells, input.states));
}

void add_study(HtmlPage& page, const StudyPageInput& input) {
  const StudyProgress progress = study_progress(input.cells, input.states);
  if (!page.has_finding()) page.finding(study_finding(input.tables));
  for (const StudyGrid& grid : input.grids) {
    const bool any = std::ranges::any_of(
        input.tables, [&](const StudyTable& table) { return table.title == grid.title; });
    if (!any) continue;
    page.section(grid.title);
    add_tables(page, grid, input.tables);
    add_curves(page, grid, input.tables);
  }
  add_unfinished(page, input, progress);
}

std::vector<std::string> study_methods(const StudyPageInput& input) {
  std::vector<std::string> methods;
  for (const StudyGrid& grid : input.grids) {
    for (const std::string& method : grid.methods) methods.push_back(method);
  }
  return methods;
}

std::string study_page(const StudyPageInput& input) {
  HtmlPage page(input.title, describe_study(input));
  for (const std::string& method : study_methods(input)) page.method(method);
  add_study(page, input);
  page.data(page_data_json({}, page.methods()));
  return page.html();
}

}  // namespace openworld
