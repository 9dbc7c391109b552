// openworld samplesize: how many test samples and seeds an interval needs.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "openworld/analysis/sample_size.h"
#include "openworld/base/error.h"
#include "openworld/base/version.h"
#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/flag_checks.h"
#include "openworld/cli/predictions_files.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/print_table.h"
#include "openworld/io/atomic_file.h"
#include "openworld/io/run_cost.h"
#include "openworld/report/sample_size_figure.h"
#include "openworld/report/text_table.h"
#include "openworld/runs/run_collection.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kCommand = "samplesize";

Json study_json(const PlannedStudy& study) {
  return {{"base", study.size.base},
          {"open", study.size.other},
          {"seeds", study.size.seeds},
          {"half_width", study.half_width},
          {"range", {study.range.low, study.range.high}}};
}

Json side_json(const SideVariance& side) {
  return {{"samples", side.samples}, {"shared", side.shared}, {"own", side.own}};
}

class SampleSizeCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("PILOT", files_,
                   "predictions, a run folder, or several run folders of one method on one "
                   "dataset that differ in their seeds")
        ->required();
    app.add_option("--half-width", request_.half_width,
                   "half the width that the interval shall have, as a fraction: 0.01")
        ->required();
    app.add_option("--metric", metric_, "the metric")->capture_default_str();
    app.add_option("--level", request_.level, "confidence level of the interval")
        ->check(between_0_and_1())
        ->capture_default_str();
    app.add_option("--ratio", request_.ratio,
                   "new samples per base sample (default: as in the pilot)");
    app.add_option("--base", request_.base, "this many base samples; find the rest")
        ->check(whole_number());
    app.add_option("--new", request_.other, "this many new (or unknown) samples; find the rest")
        ->check(whole_number());
    app.add_option("--seeds", request_.seeds, "this many seeds (default: as in the pilot)")
        ->check(whole_number());
    declare_open(app, open_);
    app.add_option("--curve", curve_,
                   "write an SVG plot of the half-width over the number of samples to this file");
    declare_json(app, json_);
    app.footer(
        "The interval is that of the metric, averaged over the seeds, all tested on the same "
        "samples. It covers other samples and, with two seeds or more, other seeds.");
  }

  void run() override {
    const RunClock clock;
    const VarianceComponents pilot = measure();
    const SampleSize result = sample_size(pilot, request_);
    if (!curve_.empty()) {
      write_file_atomically(curve_, svg(sample_size_plot(pilot, request_, result)), kCommand);
    }
    if (json_) return print_json(pilot, result, clock);
    print_text(pilot, result);
    if (!curve_.empty()) print_out("\nwrote {}\n", curve_);
  }

 private:
  VarianceComponents measure() {
    const MetricRequest metric = find_metric(metric_);
    const EvalOptions options{.open = parse_open(open_)};
    files_ = expand_run_folders(files_);
    if (files_.size() == 1) {
      const Predictions predictions = load_argument(files_[0], kCommand);
      const Outcomes outcomes = predictions.outcomes();
      return variance_components({&outcomes, 1}, files_, metric, options);
    }
    const RunCollection runs = open_runs(files_, kCommand);
    expect_one("methods", runs.labels);
    expect_one("datasets", runs.datasets);
    std::vector<Outcomes> outcomes;
    for (const CollectedRun& run : runs.runs) outcomes.push_back(run.predictions.outcomes());
    return variance_components(outcomes, files_, metric, options);
  }

  static void expect_one(const char* what, const std::vector<std::string>& names) {
    if (names.size() == 1) return;
    fail(kCommand,
         fmt::format("runs of {} {} ({}, {}{}); expected runs that differ in their seeds "
                     "alone",
                     names.size(), what, names[0], names[1], names.size() > 2 ? ", ..." : ""));
  }

  void print_json(const VarianceComponents& pilot, const SampleSize& result,
                  const RunClock& clock) const {
    Json by_seeds = Json::array();
    for (const PlannedStudy& study : result.by_seeds) by_seeds.push_back(study_json(study));
    const Json json = {{"schema", "openworld.samplesize/1"},
                       {"version", OPENWORLD_VERSION},
                       {"sources", files_},
                       {"metric", pilot.request.name},
                       {"open", side_name(pilot.open)},
                       {"value", pilot.value},
                       {"half_width", request_.half_width},
                       {"level", request_.level},
                       {"components",
                        {{"base", side_json(pilot.base)},
                         {"open", side_json(pilot.other)},
                         {"pairs", pilot.pairs},
                         {"seed", pilot.seeds > 1 ? Json(pilot.seed) : Json()},
                         {"between_seeds", pilot.seeds > 1 ? Json(pilot.between) : Json()}}},
                       {"pilot", study_json(result.pilot)},
                       {"plan", study_json(result.plan)},
                       {"reached", reached(result)},
                       {"cheapest", result.cheapest ? study_json(*result.cheapest) : Json()},
                       {"by_seeds", std::move(by_seeds)},
                       {"cost", run_cost_json(clock.cost())}};
    openworld::print_json(json);
  }

  // Sizes are the smallest whole numbers, so the plan is at most as wide as asked for but for
  // rounding.
  bool reached(const SampleSize& result) const {
    return result.plan.half_width <= request_.half_width * (1 + 1e-12);
  }

  void print_text(const VarianceComponents& pilot, const SampleSize& result) const {
    print_out("{} {}; asked for: \u00b1{} at {:g} %\n\n",
              metric_title(pilot.request.row->info, pilot.request.params), percent(pilot.value),
              percent(request_.half_width), request_.level * 100);
    TextTable table(
        {"", "base", std::string(side_name(pilot.open)), "in all", "seeds", "half-width", "range"});
    add(table, "pilot", result.pilot);
    add(table, "plan", result.plan);
    if (result.cheapest) add(table, "cheapest", *result.cheapest);
    for (const PlannedStudy& study : result.by_seeds) {
      if (study.size.seeds != result.plan.size.seeds) add(table, "other seeds", study);
    }
    print_table(table);
    print_out("\n");
    print_out("in percent; the range is what the pilot leaves open at {:g} %\n",
              request_.level * 100);
    if (!reached(result)) print_out("- the plan is wider than asked for\n");
    print_notes(pilot, result.plan.size);
  }

  static void add(TextTable& table, const char* name, const PlannedStudy& study) {
    const auto count = [](std::int64_t n) { return n > 0 ? std::to_string(n) : "-"; };
    const auto bound = [](double half) {
      return half > 1 ? std::string("over 100") : percent(half);
    };
    table.add({name, count(study.size.base), count(study.size.other),
               std::to_string(study.size.base + study.size.other), std::to_string(study.size.seeds),
               "\u00b1" + percent(study.half_width),
               fmt::format("{} to {}", bound(study.range.low), bound(study.range.high))});
  }

  static void print_notes(const VarianceComponents& pilot, const StudySize& plan) {
    if (plan.seeds == 1) {
      print_out("- with one seed the interval is that of this model and covers no other seeds\n");
    } else {
      print_out(
          "- the mean over seeds that are tested on the same samples; their standard "
          "deviation on unlimited samples is {}\n",
          percent(std::sqrt(pilot.seed)));
    }
    if (pilot.seeds > 1 && pilot.seed == 0) {
      print_out(
          "- the seeds differ by no more than their samples explain: their own variance is "
          "taken as 0\n");
    }
  }

  std::vector<std::string> files_;
  SampleSizeRequest request_;
  std::string metric_ = "openworld_auc";
  std::string open_ = "auto";
  std::string curve_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_samplesize() {
  return std::make_unique<SampleSizeCommand>();
}

}  // namespace openworld
