// openworld report: runs as one page of HTML.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/version.h"
#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/flag_checks.h"
#include "openworld/cli/print_json.h"
#include "openworld/io/atomic_file.h"
#include "openworld/io/run_cost.h"
#include "openworld/report/run_report.h"
#include "openworld/report/run_texts.h"

namespace openworld {
namespace {

class Report : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("RUN", folders_, "run folders of `openworld tune`, or folders of seed-N folders")
        ->required();
    app.add_option("--out", out_, "the page to write, one .html file without scripts")->required();
    app.add_option("--title", options_.title, "its title")->capture_default_str();
    app.add_option("--against", against_,
                   "the label that the others are compared against (default: the first)");
    app.add_option("--samples", options_.samples, "samples shown of each dataset; 0: none")
        ->check(whole_number())
        ->capture_default_str();
    flags_.declare(app);
    declare_json(app, json_);
  }

  void run() override {
    const RunClock clock;
    const std::vector<std::string> paths = expand_run_folders(folders_);
    for (const std::string& path : paths) {
      if (RunFolder(path).is_run()) continue;
      fail("report", fmt::format("{}: not a run folder; expected one with a run.json", path));
    }
    const RunCollection runs = open_runs(paths, "report");
    const std::size_t reference = against_.empty() ? 0 : runs.find_label(against_, "report");
    const MeasuredRuns measured =
        measure_runs(runs, flags_.requests(kRunMetrics), reference, flags_.options());
    const RunReport report = run_report(runs, measured, options_);
    write_file_atomically(out_, report.html, "report");
    if (json_) return print_json(runs, report, clock);
    fmt::print("{}\nwrote {}, {} KiB with {} pictures\n", describe_runs(runs, measured.comparison),
               out_, report.html.size() / 1024, report.pictures);
  }

 private:
  void print_json(const RunCollection& runs, const RunReport& report, const RunClock& clock) const {
    openworld::print_json({{"schema", "openworld.report/2"},
                           {"version", OPENWORLD_VERSION},
                           {"out", out_},
                           {"bytes", report.html.size()},
                           {"pictures", report.pictures},
                           {"runs", runs.runs.size()},
                           {"labels", runs.labels},
                           {"datasets", runs.datasets},
                           {"cost", run_cost_json(clock.cost())}});
  }

  std::vector<std::string> folders_;
  std::string out_;
  std::string against_;
  RunReportOptions options_;
  EvalFlags flags_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_report() {
  return std::make_unique<Report>();
}

}  // namespace openworld
