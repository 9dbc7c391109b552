#include "openworld/cli/study_tables.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <nlohmann/json.hpp>

#include "openworld/cli/eval_flags.h"
#include "openworld/cli/flag_checks.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/print_table.h"
#include "openworld/io/atomic_file.h"
#include "openworld/io/run_cost.h"
#include "openworld/report/study_page.h"
#include "openworld/report/study_table_text.h"

namespace openworld {
namespace {

constexpr auto kTable = "study table";
constexpr auto kReport = "study report";

std::vector<std::string> axis_names() {
  std::vector<std::string> names = {"auto"};
  for (const TableAxisRow& row : table_axes()) names.emplace_back(row.name);
  return names;
}

struct CiName {
  std::string_view name;
  StudyCi ci;
};
constexpr CiName kCis[] = {{"auto", StudyCi::kAuto},
                           {"bootstrap", StudyCi::kBootstrap},
                           {"seeds", StudyCi::kSeeds},
                           {"none", StudyCi::kNone}};

std::vector<std::string> ci_names() {
  std::vector<std::string> names;
  for (const CiName& row : kCis) names.emplace_back(row.name);
  return names;
}

}  // namespace

void StudyTablesCommand::declare_choices(CLI::App& app) {
  app.add_option("STUDY", study_, "the folder of a study")->required();
  app.add_option("--metric,--metrics", metrics_,
                 "metrics, with commas (`openworld ls metrics`) [those of the scenario's table]")
      ->delimiter(',');
  app.add_option("--scenario", scenarios_, "these scenarios only, with commas")->delimiter(',');
  app.add_option("--level", levels_, "these levels only, with commas")->delimiter(',');
  app.add_option(
         "--by", by_,
         "what is across: dataset, metric, level (with mean and variance) or drc (robustness "
         "curves); auto: as the paper of the scenario has it")
      ->capture_default_str()
      ->check(CLI::IsMember(axis_names()));
  app.add_option("--against", against_, "the method that others are compared with [zero-shot]");
  app.add_option("--ci", ci_,
                 "intervals: bootstrap (test samples and seeds), seeds (Student's t), none; auto: "
                 "bootstrap where every cell has predictions of the same samples, else seeds")
      ->capture_default_str()
      ->check(CLI::IsMember(ci_names()));
  app.add_option("--confidence", measure_.bootstrap.level, "of the intervals")
      ->capture_default_str()
      ->check(between_0_and_1());
  app.add_option("--resamples", measure_.bootstrap.resamples, "bootstrap resamples")
      ->check(CLI::Range(2, std::numeric_limits<int>::max()))
      ->capture_default_str();
  declare_seed(app, measure_.bootstrap.seed, "seed of the bootstrap");
  declare_threads(app, measure_.bootstrap.threads);
}

void StudyTablesCommand::declare_table(CLI::App& app) {
  declare_choices(app);
}

void StudyTablesCommand::declare_report(CLI::App& app) {
  declare_choices(app);
  app.add_option("--out", out_, "the page to write, one .html file that loads nothing")->required();
  app.add_option("--title", title_, "its title [the name of the plan]");
}

StudyTableOptions StudyTablesCommand::options() const {
  StudyTableOptions options{.scenarios = scenarios_,
                            .metrics = metrics_,
                            .levels = levels_,
                            .axis = {},
                            .against = against_,
                            .measure = measure_};
  for (const TableAxisRow& row : table_axes()) {
    if (row.name == by_) options.axis = row.axis;
  }
  for (const CiName& row : kCis) {
    if (row.name == ci_) options.measure.ci = row.ci;
  }
  return options;
}

void StudyTablesCommand::print_table(bool json) {
  const RunClock clock;
  StudyStore store(study_, kTable);
  const std::vector<CellStatus> states = store.statuses();
  const std::vector<StudyGrid> grids = study_grids(store.cells(), states, kTable);
  const std::vector<StudyTable> tables = study_tables(grids, study_, options(), kTable);
  if (json) {
    nlohmann::ordered_json result = study_tables_json(tables);
    result["study"] = study_;
    result["cost"] = run_cost_json(clock.cost());
    return print_json(result);
  }
  print_data(study_tables_text(tables, *output_settings().format));
}

void StudyTablesCommand::write_report(bool json) {
  const RunClock clock;
  const StudyPageData data(study_, options(), kReport);
  const std::string html = study_page(data.input(title_.empty() ? data.name() : title_));
  write_file_atomically(out_, html, kReport);
  if (json) {
    return print_json({{"schema", "openworld.study_report/1"},
                       {"study", study_},
                       {"out", out_},
                       {"bytes", html.size()},
                       {"tables", data.tables()},
                       {"cost", run_cost_json(clock.cost())}});
  }
  print_out("wrote {}, {} KiB with {} table{}\n", out_, html.size() / 1024, data.tables(),
            data.tables() == 1 ? "" : "s");
}

}  // namespace openworld
