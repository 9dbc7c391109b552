#include "openworld/studies/study_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "openworld/base/error.h"
#include "openworld/stats/seeds.h"

namespace openworld {
namespace {

// With their texts, ascending.
std::vector<std::pair<double, std::string>> numbered_levels(const StudyGrid& grid,
                                                            const std::vector<std::string>& levels,
                                                            std::string_view function) {
  std::vector<std::pair<double, std::string>> result;
  for (const std::string& level : levels) {
    const std::optional<double> t = level_number(level);
    if (!t || !(*t >= 0 && *t <= 1)) {
      fail(function, fmt::format("{} has the level '{}'; a robustness curve has levels from 0 to "
                                 "1; expected --by dataset, metric or level",
                                 grid.title, level));
    }
    result.emplace_back(*t, level);
  }
  std::ranges::sort(result);
  if (result.size() < 2) {
    fail(function, fmt::format("{} has one level; a robustness curve needs two", grid.title));
  }
  return result;
}

// One column of the DRC table: how it is printed and where its value is.
struct DrcColumn {
  TableColumn column;
  std::optional<double> (*value)(const DrcValues&);
  SeedValues SeedCurve::*seeds = nullptr;  // seed by seed, of what has an interval
};

// A column of areas or differences from the reference.
TableColumn relative(TableColumn column) {
  column.relative = true;
  return column;
}

TableColumn plain(const char* name, const char* title, bool higher_is_better = true) {
  return {.name = name,
          .title = title,
          .scale = 1,
          .decimals = 4,
          .higher_is_better = higher_is_better};
}

using Value = std::optional<double>;

const std::vector<DrcColumn>& drc_columns() {
  static const std::vector<DrcColumn> columns = {
      {plain("acc0", "Acc(0)"), [](const DrcValues& v) -> Value { return v.metrics.acc0; },
       &SeedCurve::acc0},
      {plain("auc", "AUC"), [](const DrcValues& v) -> Value { return v.metrics.auc; },
       &SeedCurve::auc},
      {plain("wa", "WA"), [](const DrcValues& v) -> Value { return v.metrics.wa; }},
      {plain("evm", "EVM", false), [](const DrcValues& v) -> Value { return v.metrics.evm; }},
      {plain("vs", "VS", false), [](const DrcValues& v) -> Value { return v.metrics.vs; }},
      {relative(plain("pa", "PA")),
       [](const DrcValues& v) { return v.areas ? Value(v.areas->positive) : Value(); }},
      {relative(plain("na", "NA", false)),
       [](const DrcValues& v) { return v.areas ? Value(v.areas->negative) : Value(); }},
  };
  return columns;
}

TableCell cell(const StudyCurves& curves, std::size_t method, Value value) {
  TableCell result;
  result.measured.value = value;
  result.measured.done = curves.done[method];
  result.measured.cells = curves.cells[method];
  result.measured.undefined = result.measured.complete() && !value;
  return result;
}

// Of a method whose metric is defined in every cell.
SeedCurve seed_curve(const StudyGrid& grid, std::size_t method, std::size_t world,
                     const std::string& metric,
                     const std::vector<std::pair<double, std::string>>& levels) {
  std::vector<double> at;
  std::vector<SeedValues> by_level;
  for (const auto& [t, level] : levels) {
    at.push_back(t);
    by_level.push_back(grid.values(method, world, level, metric));
  }
  SeedCurve result{.acc0 = by_level[0], .auc = by_level[0]};
  for (std::size_t s = 0; s < result.auc.values.size(); ++s) {
    std::vector<double> curve;
    for (const SeedValues& values : by_level) curve.push_back(values.values[s]);
    result.auc.values[s] = drc_metrics(at, curve).auc;
  }
  return result;
}

// Over worlds, where they have the same seeds.
SeedValues mean_over_worlds(const std::vector<SeedCurve>& worlds, SeedValues SeedCurve::*part) {
  SeedValues mean = worlds[0].*part;
  for (std::size_t w = 1; w < worlds.size(); ++w) {
    const SeedValues& values = worlds[w].*part;
    if (values.seeds != mean.seeds) return {};
    for (std::size_t s = 0; s < mean.values.size(); ++s) mean.values[s] += values.values[s];
  }
  for (double& value : mean.values) value /= static_cast<double>(worlds.size());
  return mean;
}

}  // namespace

std::optional<double> level_number(const std::string& level) {
  double value = 0;
  const auto [end, error] = std::from_chars(level.data(), level.data() + level.size(), value);
  if (error != std::errc() || end != level.data() + level.size()) return std::nullopt;
  return value;
}

StudyCurves study_curves(const StudyGrid& grid, const std::string& metric,
                         const std::vector<std::string>& levels,
                         std::optional<std::size_t> reference, std::string_view function) {
  StudyCurves curves;
  // A study without any result has no levels yet.
  const bool any = grid.done > 0;
  const auto numbered =
      any ? numbered_levels(grid, levels, function) : std::vector<std::pair<double, std::string>>{};
  for (const GridWorld& world : grid.worlds) {
    DrcWorld& mine = curves.worlds.emplace_back(DrcWorld{world.name, {}, {}});
    for (const auto& [t, level] : numbered) mine.levels.push_back(t);
  }
  for (std::size_t m = 0; m < grid.methods.size(); ++m) {
    std::size_t done = 0, cells = 0;
    for (const auto& by_seed : grid.cells_of[m]) {
      for (const auto& [seed, each] : by_seed) {
        ++cells;
        done += each.done() ? 1 : 0;
      }
    }
    curves.done.push_back(done);
    curves.cells.push_back(cells);
    if (done < cells || !any) continue;
    std::vector<std::vector<double>> by_world;
    bool defined = true;
    for (std::size_t w = 0; w < grid.worlds.size(); ++w) {
      auto& curve = by_world.emplace_back();
      for (const auto& [t, level] : numbered) {
        const SeedValues values = grid.values(m, w, level, metric);
        defined = defined && values.defined();
        if (defined) curve.push_back(summarize_seeds(values.values).mean);
      }
    }
    if (!defined) {
      curves.undefined.push_back(grid.methods[m]);
      continue;
    }
    if (reference == m) curves.against_reference = true;
    curves.methods.push_back(m);
    auto& seeds = curves.by_seed.emplace_back();
    for (std::size_t w = 0; w < by_world.size(); ++w) {
      curves.worlds[w].accuracies.push_back(std::move(by_world[w]));
      seeds.push_back(seed_curve(grid, m, w, metric, numbered));
    }
    seeds.push_back(
        {mean_over_worlds(seeds, &SeedCurve::acc0), mean_over_worlds(seeds, &SeedCurve::auc)});
  }
  if (curves.methods.empty()) return curves;
  std::optional<std::size_t> zero;
  if (curves.against_reference) {
    zero = std::find(curves.methods.begin(), curves.methods.end(), *reference) -
           curves.methods.begin();
  }
  try {
    curves.comparison = compare_drc(curves.worlds, zero);
  } catch (const Error& error) {
    fail(function, fmt::format("{}: {}", grid.title, error.message()));
  }
  return curves;
}

void add_drc(StudyTable& table, const StudyCurves& curves, std::optional<std::size_t> world) {
  const auto index = [&](std::size_t method) -> std::optional<std::size_t> {
    const auto found = std::find(curves.methods.begin(), curves.methods.end(), method);
    if (found == curves.methods.end()) return std::nullopt;
    return found - curves.methods.begin();
  };
  const auto add = [&](TableColumn column, const auto& value) {
    table.columns.push_back(std::move(column));
    for (std::size_t m = 0; m < table.methods.size(); ++m) {
      const auto at = index(m);
      table.cells[m].push_back(cell(curves, m, at ? value(*at) : Value()));
    }
  };
  const auto values = [&](std::size_t i) -> const DrcValues& {
    const DrcMethod& method = curves.comparison->methods[i];
    return world ? method.worlds[*world] : method.mean;
  };
  // Of the column that was added last.
  const auto add_intervals = [&](SeedValues SeedCurve::*part, bool differences) {
    if (table.interval.empty()) return;
    std::vector<StudyValue*> column;
    std::vector<SeedValues> seeds;
    for (std::size_t i = 0; i < curves.methods.size(); ++i) {
      column.push_back(&table.cells[curves.methods[i]].back().measured);
      seeds.push_back(curves.by_seed[i][world.value_or(curves.worlds.size())].*part);
    }
    const auto reference =
        curves.against_reference ? index(*table.reference) : std::optional<std::size_t>();
    add_seed_statistics(column, seeds, reference, differences, table.confidence);
  };
  for (const DrcColumn& each : drc_columns()) {
    if (each.column.relative && !table.reference) continue;
    add(each.column, [&](std::size_t i) { return each.value(values(i)); });
    if (each.seeds != nullptr) add_intervals(each.seeds, false);
  }
  if (table.reference) {
    TableColumn delta = relative(plain("delta_auc", "delta_AUC"));
    delta.sign = true;
    add(delta, [&](std::size_t i) -> Value {
      const DrcMethod& method = curves.comparison->methods[i];
      if (!world) return method.delta_auc;
      const auto& areas = method.worlds[*world].areas;
      return areas ? Value(method.worlds[*world].metrics.auc -
                           curves.comparison->methods[*index(*table.reference)]
                               .worlds[*world]
                               .metrics.auc)
                   : Value();
    });
    add_intervals(&SeedCurve::auc, true);
    delta.name = "delta_pn", delta.title = "delta_PN";
    add(delta, [&](std::size_t i) -> Value {
      const DrcMethod& method = curves.comparison->methods[i];
      if (!world) return method.delta_pn;
      const auto& areas = method.worlds[*world].areas;
      return areas ? Value(areas->positive - areas->negative) : Value();
    });
  }
  const FriedmanTest* ranks = nullptr;
  if (curves.comparison && curves.comparison->ranks) {
    ranks = world ? &curves.comparison->ranks_by_world[*world] : &*curves.comparison->ranks;
    table.blocks = ranks->blocks;
  }
  TableColumn rank = plain("friedman_rank", "Friedman rank", false);
  rank.decimals = 3;
  add(rank, [&](std::size_t i) { return ranks ? Value(ranks->average_ranks[i]) : Value(); });
  TableColumn last = plain("final_rank", "final rank", false);
  last.decimals = 1;
  add(last, [&](std::size_t i) { return ranks ? Value(ranks->final_ranks[i]) : Value(); });
  if (ranks != nullptr) {
    table.notes.push_back(fmt::format(
        "Friedman ranks of {} methods over {} levels of datasets, 1 the best; ties share ranks",
        ranks->methods, ranks->blocks));
  }
  if (curves.methods.size() < table.methods.size() && !curves.methods.empty()) {
    table.notes.push_back("ranks are among the methods that are complete");
  }
  for (const std::string& method : curves.undefined) {
    table.notes.push_back(
        fmt::format("{} of {} is undefined at some level", table.metric_title, method));
  }
}

void add_level_summary(StudyTable& table, const TableColumn& column) {
  TableColumn mean = column, variance = column;
  mean.name = mean.title = "mean";
  variance.name = variance.title = "variance";
  variance.scale *= column.scale;
  variance.ranked = false;
  const std::size_t levels = table.columns.size();
  table.columns.push_back(mean);
  table.columns.push_back(variance);
  for (auto& row : table.cells) {
    TableCell of_mean, of_variance;
    std::vector<double> values;
    for (std::size_t c = 0; c < levels; ++c) {
      const StudyValue& mine = row[c].measured;
      if (mine.value && mine.complete()) values.push_back(*mine.value);
      // The same cells at every level.
      of_mean.measured.done = mine.done;
      of_mean.measured.cells = mine.cells;
      of_mean.measured.undefined = of_mean.measured.undefined || mine.undefined;
    }
    of_variance = of_mean;
    if (values.size() == levels) {
      const SeedSummary summary = summarize_seeds(values);
      of_mean.measured.value = summary.mean;
      of_variance.measured.value = *summary.sd * *summary.sd;
    }
    row.push_back(of_mean);
    row.push_back(of_variance);
  }
}

}  // namespace openworld
