// openworld threshold: thresholds with guarantees.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "openworld/base/error.h"
#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/flag_checks.h"
#include "openworld/cli/model_library.h"
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
    auto* const run = app.add_option(
        "--run", run_,
        "a run folder instead of FILE; the threshold is saved in its threshold.json");
    app.add_option("--max-miss", request_.limit.max_miss,
                   "largest share of base samples that may be missed: scored at or below the "
                   "threshold, or classified wrong")
        ->check(between_0_and_1())
        ->required();
    app.add_option(
           "--max-unknown", request_.max_unknown,
           "also a threshold for unknown samples: largest share of listed samples, base and "
           "new, that may be called unknown")
        ->check(between_0_and_1());
    app.add_option(
           "--unknown", unknown_.images,
           "images that are on no list, files or folders: how many are kept out; with --run")
        ->needs(run);
    app.add_option("--next", request_.next,
                   "also what holds for a batch of so many samples to come")
        ->check(CLI::Range(1, 10'000'000));
    app.add_option("--confidence", request_.limit.confidence, "confidence of the guarantees")
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
    const ChosenThresholds chosen = choose();
    Json json = threshold_json(chosen, run_.empty() ? file_ : run_);
    if (json_) {
      if (!unknown_.images.empty()) {
        json["assumptions"] = RunFolder(run_).spec("threshold").model.assumptions;
      }
      json["cost"] = run_cost_json(clock.cost());
      return print_json(json);
    }
    print_text(chosen);
    if (!run_.empty()) print_out("\nwrote {}\n", RunFolder(run_).threshold_file());
  }

 private:
  ChosenThresholds choose() {
    if (run_.empty()) {
      return require_thresholds(predictions_path(file_, "threshold"), request_, file_, "threshold");
    }
    if (!unknown_.images.empty()) {
      RunFolder(run_).expect_finished("threshold");
      unknown_.run = run_;
      request_.unknown = model_library().score_images(unknown_);
    }
    return set_run_threshold(run_, request_, "threshold");
  }

  void print_text(const ChosenThresholds& chosen) const {
    const GuaranteedThreshold& base = chosen.base;
    print_out("threshold {}: a sample is base if its score is above it\n", base.threshold);
    if (chosen.unknown) {
      print_out(
          "unknown threshold {}: a sample that is not base is new if its fit is above it, and "
          "unknown if not\n",
          chosen.unknown->threshold);
    }
    print_promises(chosen);
    TextTable table({"on these samples", "%",
                     fmt::format("{:g} % interval", request_.limit.confidence * 100), "count"});
    const auto add = [&](const char* name, const std::optional<Share>& share) {
      if (!share) return;
      table.add(
          {name, percent(share->value),
           fmt::format("[{}, {}]", percent(share->interval.low), percent(share->interval.high)),
           fmt::format("{} of {}", share->count, share->total)});
    };
    add("MissRate, base samples missed", base.miss);
    add("HitRate, new samples passed on and right", base.hit);
    add("RejectRate, unknown samples kept out", base.reject);
    if (chosen.unknown) {
      add("listed samples that no name fits", chosen.unknown->unfit);
      add("unknown samples called unknown", chosen.unknown->kept_out);
    }
    print_table(table);
    if (chosen.unknown) print_answers(*chosen.unknown);
  }

  void print_promises(const ChosenThresholds& chosen) const {
    const double confidence = request_.limit.confidence * 100;
    print_out(
        "\nWith confidence {:g} % at most {:g} % of base samples are missed, if future samples "
        "come from the same distribution.\n",
        confidence, request_.limit.max_miss * 100);
    if (chosen.unknown) {
      print_out(
          "With confidence {:g} % at most {:g} % of listed samples, base and new as they are mixed "
          "here, are called unknown.\n",
          confidence, *request_.max_unknown * 100);
    }
    if (const auto& next = chosen.base.next) {
      print_out(
          "\nThat is about all samples to come. A batch of them varies around it; check it by what "
          "holds for a batch, also with confidence {:g} %:\n"
          "- of the next {} base samples at most {} ({} %) are missed\n",
          confidence, next->samples, next->most, share_text(*next));
      if (chosen.unknown) {
        const BatchPromise& listed = *chosen.unknown->next;
        print_out("- of the next {} listed samples at most {} ({} %) are called unknown\n",
                  listed.samples, listed.most, share_text(listed));
      }
    }
    print_out("\n");
  }

  static std::string share_text(const BatchPromise& next) {
    return percent(static_cast<double>(next.most) / static_cast<double>(next.samples), 1);
  }

  // What samples of each side are called.
  static void print_answers(const UnknownThreshold& unknown) {
    TextTable table({"called", "base", "new", "unknown"});
    const auto add = [&](const char* side, const AnswerCounts& counts) {
      if (counts.base + counts.new_side + counts.unknown == 0) return;
      table.add({side, fmt::format("{}", counts.base), fmt::format("{}", counts.new_side),
                 fmt::format("{}", counts.unknown)});
    };
    add("base samples", unknown.of_base);
    add("new samples", unknown.of_new);
    add("unknown samples", unknown.of_unknown);
    print_out("\n");
    print_table(table);
  }

  std::string file_;
  std::string run_;
  ThresholdRequest request_{.limit = {.max_miss = 0, .confidence = 0.95}};
  PredictCommand unknown_;  // what images that are on no list are scored with
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_threshold() {
  return std::make_unique<Threshold>();
}

}  // namespace openworld
