// openworld report: runs, prediction files and studies as one page of HTML.

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/flag_checks.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/io/run_cost.h"
#include "openworld/report/report_job.h"

namespace openworld {
namespace {

class Report : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("PATH", request_.paths,
                   "run folders of `openworld tune`, folders of them, and prediction "
                   "files: of `openworld openset --out` and `detect --out`, or any that `openworld "
                   "eval` reads; studies of `openworld study run`")
        ->required();
    app.add_option("--out", request_.out, "the page to write, one .html file that loads nothing")
        ->required();
    app.add_option("--title", request_.page.title, "its title")->capture_default_str();
    app.add_option("--against", request_.against,
                   "the label that the others are compared against (default: zero-shot CLIP if "
                   "there is one, else the first)");
    app.add_option("--samples", request_.page.samples, "samples shown of each test set; 0: none")
        ->check(whole_number())
        ->capture_default_str();
    app.add_option("--data", request_.page.data.paths,
                   "datasets that pictures may be read from: those of the runs, wherever they are "
                   "now; bundled worlds are always shown");
    app.add_option("--image-root", request_.page.data.image_root,
                   "folder that the paths of a list in --data are relative to");
    flags_.declare(app);
    metrics_flag_ = app.get_option("--metrics");
    declare_json(app, json_);
  }

  void run() override {
    const RunClock clock;
    request_.file_metrics = flags_.requests();
    if (metrics_flag_->count() > 0) request_.run_metrics = flags_.requests();
    request_.options = flags_.options();
    const ReportResult result = write_report(request_);
    if (json_) {
      nlohmann::ordered_json json = report_json(result);
      json["cost"] = run_cost_json(clock.cost());
      return print_json(json);
    }
    print_out("{}\n", result.summary);
    for (const ReportResult::File& file : result.files) {
      print_out("{}: {}\n", file.path, file.kind);
    }
    print_out("wrote {}, {} KiB with {} pictures\n", result.out, result.bytes / 1024,
              result.pictures);
    for (const MissingPictures& missing : result.missing) {
      print_out("{}: {}\n", missing.dataset, missing.why);
    }
  }

 private:
  ReportRequest request_;
  EvalFlags flags_;
  const CLI::Option* metrics_flag_ = nullptr;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_report() {
  return std::make_unique<Report>();
}

}  // namespace openworld
