// openworld report: runs and prediction files as one page of HTML.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/version.h"
#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/flag_checks.h"
#include "openworld/cli/predictions_files.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/io/atomic_file.h"
#include "openworld/io/run_cost.h"
#include "openworld/report/report_page.h"

namespace openworld {
namespace {

class Report : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("PATH", paths_,
                   "run folders of `openworld tune`, folders of seed-N folders, and prediction "
                   "files: of `openworld openset --out` and `detect --out`, or any that `openworld "
                   "eval` reads")
        ->required();
    app.add_option("--out", out_, "the page to write, one .html file without scripts")->required();
    app.add_option("--title", options_.title, "its title")->capture_default_str();
    app.add_option("--against", against_,
                   "the label that the others are compared against (default: the first)");
    app.add_option("--samples", options_.samples, "samples shown of each dataset; 0: none")
        ->check(whole_number())
        ->capture_default_str();
    app.add_option("--data", options_.data.paths,
                   "datasets that pictures may be read from, as the runs name them; bundled worlds "
                   "are always shown");
    app.add_option("--image-root", options_.data.image_root,
                   "folder that the paths of a list in --data are relative to");
    flags_.declare(app);
    declare_json(app, json_);
  }

  void run() override {
    const RunClock clock;
    std::vector<std::string> folders, paths;
    for (const std::string& path : expand_run_folders(paths_)) {
      if (RunFolder(path).is_run()) {
        folders.push_back(path);
      } else {
        expect_predictions(path);
        paths.push_back(path);
      }
    }
    if (folders.empty() && !against_.empty()) fail("report", "--against needs run folders");
    const std::vector<ReportFile> files = open_report_files(paths, short_names(paths));
    ReportInput input{.files = files, .file_metrics = {flags_.requests(), flags_.options()}};
    std::optional<RunCollection> runs;
    std::optional<MeasuredRuns> measured;
    if (!folders.empty()) {
      runs = open_runs(folders, "report");
      const std::size_t reference = against_.empty() ? 0 : runs->find_label(against_, "report");
      measured = measure_runs(*runs, flags_.requests(kRunMetrics), reference, flags_.options());
      input.runs = &*runs;
      input.measured = &*measured;
    }
    const ReportPage page = report_page(input, options_);
    write_file_atomically(out_, page.html, "report");
    if (json_) return print_json(input, page, clock);
    print_out("{}\n", describe_report(input));
    for (const ReportFile& file : files) {
      print_out("{}: {}\n", file.path, file.kind());
    }
    print_out("wrote {}, {} KiB with {} pictures\n", out_, page.html.size() / 1024, page.pictures);
    if (page.unnamed > 0) {
      print_out("{} dataset{} without pictures: name the images with --data to show them\n",
                page.unnamed, page.unnamed == 1 ? "" : "s");
    }
  }

 private:
  // Of a folder that is not a run, the message of the reader would speak of arrays alone.
  static void expect_predictions(const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    if (!fs::is_directory(path, ignored) || fs::exists(fs::path(path) / "side.npy", ignored))
      return;
    fail("report", fmt::format("{}: not a run folder; expected one with a run.json, or predictions "
                               "with a side.npy",
                               path));
  }

  void print_json(const ReportInput& input, const ReportPage& page, const RunClock& clock) const {
    using Json = nlohmann::ordered_json;
    const RunCollection none;
    const RunCollection& runs = input.runs != nullptr ? *input.runs : none;
    Json files = Json::array();
    for (const ReportFile& file : input.files) {
      files.push_back({{"path", file.path}, {"label", file.label}, {"kind", file.kind()}});
    }
    openworld::print_json({{"schema", "openworld.report/2"},
                           {"version", OPENWORLD_VERSION},
                           {"out", out_},
                           {"bytes", page.html.size()},
                           {"pictures", page.pictures},
                           {"runs", runs.runs.size()},
                           {"labels", runs.labels},
                           {"datasets", runs.datasets},
                           {"files", std::move(files)},
                           {"cost", run_cost_json(clock.cost())}});
  }

  std::vector<std::string> paths_;
  std::string out_;
  std::string against_;
  ReportPageOptions options_;
  EvalFlags flags_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_report() {
  return std::make_unique<Report>();
}

}  // namespace openworld
