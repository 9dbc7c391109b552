// openworld threshold: a threshold with a guaranteed miss rate.

#include "openworld/analysis/threshold.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "openworld/base/error.h"
#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/flag_checks.h"
#include "openworld/cli/predictions_files.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/print_table.h"
#include "openworld/io/run_cost.h"
#include "openworld/report/text_table.h"
#include "openworld/runs/run_folder.h"
#include "openworld/runs/run_threshold.h"
#include "openworld/runs/threshold_file.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

class Threshold : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("FILE", file_, kPredictionsHelp);
    app.add_option("--run", run_,
                   "a run folder instead of FILE; the threshold is saved in its threshold.json");
    app.add_option("--max-miss", limit_.max_miss_rate,
                   "largest share of base samples that may be missed: scored at or below the "
                   "threshold, or classified wrong")
        ->check(between_0_and_1())
        ->required();
    app.add_option("--confidence", limit_.confidence, "confidence of the guarantee")
        ->check(between_0_and_1())
        ->capture_default_str();
    declare_json(app, json_);
  }

  void run() override {
    const RunClock clock;
    if (file_.empty() == run_.empty()) {
      fail("threshold", file_.empty() ? "no predictions; expected FILE or --run RUN"
                                      : "both FILE and --run; expected one of them");
    }
    const std::string& source = run_.empty() ? file_ : run_;
    const GuaranteedThreshold result =
        run_.empty()
            ? require_threshold(load_argument(file_, "threshold"), limit_, file_, "threshold")
            : set_run_threshold(run_, limit_, "threshold");
    const Json json = threshold_json(result, limit_, source);
    if (json_) return print_json(json, clock);
    print_text(result);
    if (!run_.empty()) print_out("\nwrote {}\n", RunFolder(run_).threshold_file());
  }

 private:
  static void print_json(Json json, const RunClock& clock) {
    json["cost"] = run_cost_json(clock.cost());
    openworld::print_json(json);
  }

  void print_text(const GuaranteedThreshold& r) const {
    print_out("threshold {}: a sample is base if its score is above it\n\n", r.threshold);
    print_out(
        "With confidence {:g} % at most {:g} % of base samples are missed, if future samples "
        "come from the same distribution.\n\n",
        limit_.confidence * 100, limit_.max_miss_rate * 100);
    TextTable table({"on these samples", "%",
                     fmt::format("{:g} % interval", limit_.confidence * 100), "count"});
    const auto add = [&](const char* name, const Share& share) {
      table.add({name, percent(share.value),
                 fmt::format("[{}, {}]", percent(share.interval.low), percent(share.interval.high)),
                 fmt::format("{} of {}", share.count, share.total)});
    };
    add("MissRate, base samples missed", r.miss);
    if (r.hit) add("HitRate, new samples passed on and right", *r.hit);
    if (r.reject) add("RejectRate, unknown samples kept out", *r.reject);
    print_table(table);
  }

  std::string file_;
  std::string run_;
  MissLimit limit_{.max_miss_rate = 0, .confidence = 0.95};
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_threshold() {
  return std::make_unique<Threshold>();
}

}  // namespace openworld
