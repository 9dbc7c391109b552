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
#include "openworld/cli/report_sections.h"
#include "openworld/cli/run_record.h"
#include "openworld/io/atomic_file.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

class Report : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("RUN", folders_, "run folders of `openworld tune`, or folders of seed-N folders")
        ->required();
    app.add_option("--out", out_, "the page to write, one .html file without scripts")->required();
    app.add_option("--title", title_, "its title")->capture_default_str();
    app.add_option("--against", against_,
                   "the label that the others are compared against (default: the first)");
    app.add_option("--samples", samples_, "samples shown of each dataset; 0: none")
        ->check(whole_number())
        ->capture_default_str();
    flags_.declare(app);
    declare_json(app, json_);
  }

  void run() override {
    const RunRecord record;
    const std::vector<std::string> paths = expand_run_folders(folders_);
    for (const std::string& path : paths) {
      if (is_run_folder(path)) continue;
      fail("report", fmt::format("{}: not a run folder; expected a folder with run.json", path));
    }
    const RunCollection runs = open_runs(paths, "report");
    const std::size_t reference = against_.empty() ? 0 : runs.find_label(against_, "report");
    const EvalOptions options = flags_.options();
    const MeasuredRuns measured =
        measure_runs(runs, flags_.requests(kRunMetrics), reference, options);
    EvalOptions plain = options;
    plain.ci = Ci::kNone;
    const RunComparison figures =
        compare_runs(runs.views(), find_metrics(kFigureMetrics), reference, plain);
    const ReportContext context{runs, measured, figures};
    HtmlPage page(title_, describe_runs(runs, measured.comparison));
    add_results(page, context);
    add_curves(page, context);
    add_trade_off(page, context);
    add_stages(page, context);
    add_costs(page, context);
    const std::size_t pictures = samples_ == 0 ? 0 : add_samples(page, context, samples_);
    add_methods(page, context);
    const std::string html = page.html();
    write_file_atomically(out_, html, "report");
    if (json_) return print_json(runs, html.size(), pictures, record);
    fmt::print("{}\nwrote {}, {} KiB with {} pictures\n", describe_runs(runs, measured.comparison),
               out_, html.size() / 1024, pictures);
  }

 private:
  void print_json(const RunCollection& runs, std::size_t bytes, std::size_t pictures,
                  const RunRecord& record) const {
    openworld::print_json({{"schema", "openworld.report/1"},
                           {"version", OPENWORLD_VERSION},
                           {"out", out_},
                           {"bytes", bytes},
                           {"pictures", pictures},
                           {"runs", runs.runs.size()},
                           {"labels", runs.labels},
                           {"datasets", runs.datasets},
                           {"run", Json::parse(record.json())}});
  }

  std::vector<std::string> folders_;
  std::string out_;
  std::string title_ = "Open-world report";
  std::string against_;
  std::size_t samples_ = 8;
  EvalFlags flags_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_report() {
  return std::make_unique<Report>();
}

}  // namespace openworld
