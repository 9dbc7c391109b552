#include "openworld/studies/study_measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "openworld/analysis/compare.h"
#include "openworld/base/error.h"
#include "openworld/stats/distributions.h"
#include "openworld/stats/seeds.h"
#include "openworld/studies/study_bootstrap.h"

namespace openworld {
namespace {

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// Seed by seed; the average is there only if every world has the same seeds.
struct SeedTable {
  std::vector<SeedValues> worlds;
  SeedValues average;
  bool averaged = false;  // every world is defined: the mean over worlds exists
};

SeedTable seed_table(const StudyGrid& grid, std::size_t method, const std::string& level,
                     const std::string& metric) {
  SeedTable table;
  table.averaged = true;
  bool same_seeds = true;
  for (std::size_t w = 0; w < grid.worlds.size(); ++w) {
    const SeedValues& values = table.worlds.emplace_back(grid.values(method, w, level, metric));
    table.average.cells += values.cells;
    table.average.done += values.done;
    table.averaged = table.averaged && values.defined();
    same_seeds = same_seeds && values.seeds == table.worlds[0].seeds;
  }
  if (!table.averaged || !same_seeds) return table;
  table.average.seeds = table.worlds[0].seeds;
  for (std::size_t s = 0; s < table.average.seeds.size(); ++s) {
    double sum = 0;
    for (const SeedValues& values : table.worlds) sum += values.values[s];
    table.average.values.push_back(sum / static_cast<double>(table.worlds.size()));
  }
  return table;
}

std::vector<MeasuredMethod> means(const std::vector<SeedTable>& tables) {
  std::vector<MeasuredMethod> methods;
  for (const SeedTable& table : tables) {
    MeasuredMethod& method = methods.emplace_back();
    double sum = 0;
    for (const SeedValues& values : table.worlds) {
      StudyValue& mine = method.worlds.emplace_back(
          StudyValue{.done = values.done, .cells = values.cells, .undefined = values.undefined()});
      if (values.values.empty() || mine.undefined) continue;
      mine.value = mean_of(values.values);
      sum += *mine.value;
    }
    method.average.done = table.average.done;
    method.average.cells = table.average.cells;
    for (const StudyValue& mine : method.worlds) {
      method.average.undefined = method.average.undefined || mine.undefined;
    }
    if (table.averaged) method.average.value = sum / static_cast<double>(table.worlds.size());
  }
  return methods;
}

void add_t_interval(StudyValue& mine, const SeedValues& values, double level) {
  if (!mine.value || !mine.complete() || values.values.size() < 2) return;
  const SeedSummary summary = summarize_seeds(values.values, level);
  mine.interval = Interval{.low = summary.interval->low,
                           .high = summary.interval->high,
                           .level = level,
                           .method = "student_t"};
}

// Empty where the seeds differ.
SeedValues difference(SeedValues values, const SeedValues& reference) {
  if (values.seeds != reference.seeds) return {};
  for (std::size_t s = 0; s < values.values.size(); ++s) values.values[s] -= reference.values[s];
  return values;
}

// Paired by seed.
void add_t_test(StudyValue& mine, const SeedValues& values, const SeedValues& reference,
                double level) {
  if (!mine.complete() || !reference.defined() || values.seeds != reference.seeds) return;
  if (values.values.size() < 2) return;
  const std::vector<double> differences = difference(values, reference).values;
  const SeedSummary summary = summarize_seeds(differences, level);
  if (!(*summary.standard_error > 0)) {
    if (summary.mean == 0) mine.p = 1;  // equal in every seed
    return;
  }
  const double t = std::abs(summary.mean) / *summary.standard_error;
  mine.p = 2 * student_t_survival(t, static_cast<double>(differences.size()) - 1);
}

// Calls each(method, value of it, world or none for the average) for every column of a metric.
template <class Each>
void for_columns(std::vector<MeasuredMethod>& methods, const Each& each) {
  const std::size_t worlds = methods.empty() ? 0 : methods[0].worlds.size();
  for (std::size_t w = 0; w <= worlds; ++w) {
    for (std::size_t m = 0; m < methods.size(); ++m) {
      if (w < worlds) {
        each(m, methods[m].worlds[w], std::optional<std::size_t>(w));
      } else {
        each(m, methods[m].average, std::optional<std::size_t>());
      }
    }
  }
}

void adjust_column(std::vector<StudyValue*>& column) {
  std::vector<double> p_values;
  for (const StudyValue* value : column) {
    if (value->p) p_values.push_back(*value->p);
  }
  const std::vector<double> adjusted = holm_adjust(p_values);
  std::size_t next = 0;
  for (StudyValue* value : column) {
    if (value->p) value->p = adjusted[next++];
  }
}

void add_differences(std::vector<MeasuredMethod>& methods, std::size_t reference) {
  std::vector<StudyValue*> column;
  for_columns(methods, [&](std::size_t m, StudyValue& mine, std::optional<std::size_t> world) {
    const MeasuredMethod& other = methods[reference];
    const StudyValue& theirs = world ? other.worlds[*world] : other.average;
    if (m != reference && mine.value && theirs.value && mine.complete() && theirs.complete()) {
      mine.difference = *mine.value - *theirs.value;
    }
    if (m != reference) column.push_back(&mine);
    if (m + 1 == methods.size()) {
      adjust_column(column);
      column.clear();
    }
  });
}

void add_statistics_over_seeds(std::vector<MeasuredMethod>& methods,
                               const std::vector<SeedTable>& tables,
                               std::optional<std::size_t> reference, double level) {
  for_columns(methods, [&](std::size_t m, StudyValue& mine, std::optional<std::size_t> world) {
    const auto values = [&](std::size_t of) -> const SeedValues& {
      return world ? tables[of].worlds[*world] : tables[of].average;
    };
    add_t_interval(mine, values(m), level);
    if (!reference || m == *reference) return;
    // The average of a table has as many values as seeds; it is there if all its cells are.
    SeedValues theirs = values(*reference);
    if (!world) theirs.cells = theirs.done = theirs.values.size();
    add_t_test(mine, values(m), theirs, level);
  });
}

}  // namespace

void add_seed_statistics(std::span<StudyValue* const> column, std::span<const SeedValues> seeds,
                         std::optional<std::size_t> reference, bool differences, double level) {
  std::vector<StudyValue*> tested;
  for (std::size_t m = 0; m < column.size(); ++m) {
    StudyValue& mine = *column[m];
    if (!differences) add_t_interval(mine, seeds[m], level);
    if (!reference || m == *reference || !mine.value) continue;
    if (differences) add_t_interval(mine, difference(seeds[m], seeds[*reference]), level);
    add_t_test(mine, seeds[m], seeds[*reference], level);
    mine.difference = differences ? *mine.value : *mine.value - *column[*reference]->value;
    tested.push_back(&mine);
  }
  adjust_column(tested);
}

MeasuredLevel measure_level(const StudyGrid& grid, const std::string& folder,
                            const std::string& level, const std::vector<std::string>& metrics,
                            std::optional<std::size_t> reference, const MeasureOptions& options,
                            std::string_view function) {
  MeasuredLevel measured;
  std::vector<std::vector<SeedTable>> tables;
  for (const std::string& metric : metrics) {
    auto& of_metric = tables.emplace_back();
    for (std::size_t m = 0; m < grid.methods.size(); ++m) {
      of_metric.push_back(seed_table(grid, m, level, metric));
    }
    measured.metrics.push_back(means(of_metric));
  }
  if (options.ci == StudyCi::kAuto || options.ci == StudyCi::kBootstrap) {
    add_bootstrap(measured, grid, {folder, level, metrics, reference}, options.bootstrap);
  }
  if (options.ci == StudyCi::kBootstrap && measured.interval.empty()) {
    fail(function, fmt::format("{}: no bootstrap: {}; expected --ci seeds or auto", grid.title,
                               measured.note));
  }
  const bool seeds = measured.interval.empty() && options.ci != StudyCi::kNone;
  if (seeds) measured.interval = "student_t";
  for (std::size_t k = 0; k < metrics.size(); ++k) {
    if (seeds) {
      add_statistics_over_seeds(measured.metrics[k], tables[k], reference, options.bootstrap.level);
    }
    if (reference) add_differences(measured.metrics[k], *reference);
  }
  return measured;
}

}  // namespace openworld
