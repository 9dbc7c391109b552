// openworld eval: measure prediction files.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/progress.h"
#include "openworld/cli/command.h"
#include "openworld/cli/eval_details.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/predictions_files.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/print_table.h"
#include "openworld/cli/score_flags.h"
#include "openworld/io/run_cost.h"
#include "openworld/metrics/result_notes.h"
#include "openworld/predictions/result_json.h"
#include "openworld/report/metric_texts.h"
#include "openworld/report/runs_table.h"
#include "openworld/report/text_table.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

struct Measured {
  Evaluation evaluation;
  std::string meta{};
  std::int64_t tied_answers = 0;
  Diagnosis diagnosis{};
  std::vector<ClassAccuracy> classes{};
  std::vector<std::string> class_names{};  // base, then new; may be empty
  std::int32_t base_classes = 0;
};

// Of --per-class: each takes a kilobyte or two until it is printed.
constexpr std::size_t kMostClasses = 100'000;

class Eval : public Command {
 public:
  void declare(CLI::App& app) override {
    CLI::Option* files = app.add_option("FILE", files_, kPredictionsHelp)->required();
    flags_.declare(app);
    app.add_flag("--diagnose", diagnose_,
                 "show how much each stage (base classes, new classes, ranking) costs");
    app.add_flag("--per-class", per_class_, "also the accuracy of every class, with its interval");
    app.add_option("--against", against_,
                   "for several run folders: the label of the reference run "
                   "(default: zero-shot CLIP if there is one, else the first)");
    features_.declare(app);
    for (const char* flag : {"--images", "--texts"}) {
      app.get_option(flag)->each([files](const std::string&) { files->required(false); });
    }
    declare_json(app, json_);
    app.footer(
        "Two or more run folders, or a folder of them, are averaged over seeds and datasets and "
        "compared, with intervals by a two-way bootstrap over samples and seeds.");
  }

  void run() override {
    if (features_.given("eval")) return run_features();
    files_ = expand_run_folders(files_);
    if (several_runs()) return run_runs();
    if (!against_.empty()) fail("eval", "--against needs two or more run folders");
    const bool views = take_views();
    const auto requests = views ? flags_.requests(kViewMetrics) : flags_.requests();
    const RunClock clock;
    std::vector<Measured> all;
    for (const std::string& file : files_) {
      all.push_back(measure(load_argument(file, "eval"), file, requests));
    }
    print(all, clock, views);
  }

 private:
  void print(const std::vector<Measured>& all, const RunClock& clock, bool as_rows) const {
    if (json_) return print_json(all, clock);
    if (all.size() == 1 && !as_rows) {
      print_one(all[0]);
    } else {
      print_many(all);
    }
  }

  // Features instead of files: one row for each score.
  void run_features() {
    if (!files_.empty()) fail("eval", "got FILE and --images; expected one of them");
    if (!against_.empty()) fail("eval", "--against needs two or more run folders");
    const RunClock clock;
    const EvalOptions options = flags_.options();
    std::vector<Measured> all;
    for (const auto& [name, predictions] :
         features_.score("eval", options.bootstrap.threads).scored) {
      files_.push_back(predictions.path);
      names_.push_back(name);
      all.push_back(measure(predictions, predictions.path, flags_.requests()));
    }
    print(all, clock, false);
  }

  // Where the input is a run of a scenario, takes the predictions of each of its views instead.
  bool take_views() {
    if (files_.size() != 1 || !RunFolder(files_[0]).is_run()) return false;
    const RunFolder folder(files_[0]);
    if (!folder.spec("eval").scenario) return false;
    const RunResult result = folder.result("eval");
    folder.expect_whole({RunFile::kSpec, RunFile::kPredictions}, "eval");
    if (result.views.empty()) {
      Origin{"eval", folder.result_file()}.fail(
          "has no views; expected those of the scenario that run.json names");
    }
    files_.clear();
    for (std::size_t v = 0; v < result.views.size(); ++v) {
      files_.push_back(folder.view_file(v));
      names_.push_back(fmt::format("{}, {}", result.views[v].world, result.views[v].level));
    }
    return true;
  }

  // Whether the inputs are run folders to compare. Files and run folders cannot be mixed.
  bool several_runs() const {
    if (files_.size() < 2) return false;
    for (const std::string& path : files_) {
      std::error_code ignored;
      if (std::filesystem::exists(path, ignored)) continue;
      Origin{"eval", path}.fail("does not exist; expected a prediction file or a run folder");
    }
    const auto is_file = [](const std::string& path) { return !RunFolder(path).is_run(); };
    const auto file = std::ranges::find_if(files_, is_file);
    const auto folder = std::ranges::find_if_not(files_, is_file);
    if (file != files_.end() && folder != files_.end()) {
      fail("eval", fmt::format("{} is a run folder and {} is not; expected files or run folders, "
                               "not both",
                               *folder, *file));
    }
    return file == files_.end();
  }

  void run_runs() const {
    if (per_class_) fail("eval", "--per-class takes files or one run");
    const RunClock clock;
    const RunCollection runs = open_runs(files_, "eval");
    const std::size_t reference = against_.empty() ? 0 : runs.find_label(against_, "eval");
    const MeasuredRuns measured =
        measure_runs(runs, flags_.requests(runs.metrics()), reference, flags_.options());
    std::vector<StageCosts> costs;
    if (diagnose_) costs = stage_costs(runs, measured.comparison, flags_.options().ties);
    if (!json_) {
      print_document(runs_document(runs, measured));
      if (diagnose_) print_document(stage_costs_document(runs, costs));
      return;
    }
    Json json = runs_json(runs, measured);
    if (diagnose_) json["diagnosis"] = stage_costs_json(runs, costs);
    json["cost"] = run_cost_json(clock.cost());
    openworld::print_json(json);
  }

  Measured measure(const Predictions& predictions, const std::string& file,
                   const std::vector<MetricRequest>& requests) const {
    const Outcomes outcomes = predictions.outcomes();
    EvalOptions options = flags_.options();
    Progress progress("resampling " + file, options.bootstrap.resamples);
    options.bootstrap.progress = [&](std::size_t done) { progress.update(done); };
    const RankedScores ranked(outcomes,
                              per_class_ ? RankedScores::Keep::kOrder : keep_for(requests));
    Measured measured{.evaluation = evaluate(ranked, requests, options),
                      .meta = predictions.meta,
                      .tied_answers = predictions.tied_answers};
    const Ranking ranking(ranked);
    if (diagnose_) measured.diagnosis = diagnose(ranking, {.ties = options.ties});
    if (per_class_) {
      if (outcomes.label.empty()) {
        fail("eval", fmt::format("{}: no label array; --per-class needs it", file));
      }
      measured.classes = per_class_accuracy(ranking, options.bootstrap.level);
      if (measured.classes.size() > kMostClasses) {
        fail("eval", fmt::format("{}: has {} classes; --per-class takes at most {}", file,
                                 measured.classes.size(), kMostClasses));
      }
      measured.class_names = predictions.classes;
      measured.base_classes = predictions.base_classes;
    }
    return measured;
  }

  void print_json(const std::vector<Measured>& all, const RunClock& clock) const {
    const EvalOptions options = flags_.options();
    Json results = Json::array();
    for (std::size_t i = 0; i < all.size(); ++i) {
      Json result = result_object(
          all[i].evaluation, options,
          {.source = files_[i], .meta = all[i].meta, .tied_answers = all[i].tied_answers});
      if (const std::string note = reversed_note(all[i].evaluation); !note.empty()) {
        result["warnings"] = Json::array({note});
      }
      if (diagnose_) result["diagnosis"] = diagnosis_json(all[i].diagnosis);
      if (per_class_) result["per_class"] = per_class_json(all[i].classes, name_of(all[i]));
      results.push_back(std::move(result));
    }
    Json json = all.size() == 1 ? results[0]
                                : Json{{"schema", kResultSchema}, {"results", std::move(results)}};
    json["cost"] = run_cost_json(clock.cost());
    openworld::print_json(json);
  }

  static ClassNames name_of(const Measured& measured) {
    return {measured.class_names, measured.base_classes};
  }

  static void print_counts(const Evaluation& e) {
    const KindCounts& n = e.counts;
    print_out("{} base, {} new, {} unknown samples", n.base(), n.new_samples(), n.unknown());
    if (e.tied > 0) print_out("; {} share their score with another", e.tied);
    print_out("\n\n");
  }

  void print_one(const Measured& measured) const {
    print_out("{}: ", files_[0]);
    print_counts(measured.evaluation);
    const EvalOptions options = flags_.options();
    std::vector<std::string> header = {"metric", "%"};
    if (options.ci != Ci::kNone) {
      header.push_back(fmt::format("{:g} % interval", options.bootstrap.level * 100));
      header.push_back("method");
    }
    TextTable table(header);
    std::vector<std::string> notes;
    for (const MetricResult& m : measured.evaluation.metrics) {
      const std::string mark = m.request.row->info.higher_is_better ? "" : " (lower is better)";
      std::vector<std::string> cells = {metric_result_title(m) + mark, metric_value_text(m)};
      if (!m.value.defined())
        notes.push_back(fmt::format("{}: {}", metric_result_title(m), m.value.why));
      if (options.ci != Ci::kNone) {
        cells.push_back(metric_interval_text(m));
        cells.emplace_back(m.interval ? m.interval->method : "");
      }
      table.add(std::move(cells));
    }
    print_table(table);
    for (std::string& note : result_notes(measured.evaluation, measured.tied_answers)) {
      notes.push_back(std::move(note));
    }
    for (const std::string& note : notes) print_out("\n- {}", note);
    if (!notes.empty()) print_out("\n");
    if (diagnose_) print_diagnosis(measured.diagnosis);
    if (per_class_) print_per_class(measured.classes, name_of(measured));
  }

  // Files as rows, metrics as columns, the best of each column marked.
  void print_many(const std::vector<Measured>& all) const {
    const auto& metrics = all[0].evaluation.metrics;
    std::vector<std::string> header = {""};
    for (const MetricResult& m : metrics) header.push_back(metric_result_title(m));
    TextTable table(header);
    const auto names = names_.empty() ? short_names(files_) : names_;
    bool with_interval = false;
    std::vector<const Evaluation*> evaluations;
    for (const Measured& measured : all) evaluations.push_back(&measured.evaluation);
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::vector<TextCell> cells = {names[i]};
      for (std::size_t m = 0; m < metrics.size(); ++m) {
        const MetricResult& mine = all[i].evaluation.metrics[m];
        cells.push_back(value_cell(metric_value_text(mine), metric_reach_text(mine),
                                   is_best(evaluations, i, m)));
        with_interval |= !cells.back().reach.empty();
      }
      table.add(std::move(cells));
    }
    print_table(table);
    print_out("\n* best of the column{}\n",
              with_interval ? "; \u00b1 half the width of the interval" : "");
    print_undefined(all);
    print_notes(all);
    for (std::size_t i = 0; i < all.size() && (diagnose_ || per_class_); ++i) {
      print_out("\n{}", names[i]);
      if (diagnose_) print_diagnosis(all[i].diagnosis);
      if (per_class_) print_per_class(all[i].classes, name_of(all[i]));
    }
  }

  // Why cells are empty, each reason once.
  static void print_undefined(const std::vector<Measured>& all) {
    std::vector<std::string> notes;
    for (std::size_t m = 0; m < all[0].evaluation.metrics.size(); ++m) {
      for (const Measured& measured : all) {
        const MetricResult& result = measured.evaluation.metrics[m];
        if (result.value.defined()) continue;
        std::string note = fmt::format("- {}: {}\n", metric_result_title(result), result.value.why);
        if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
      }
    }
    for (const std::string& note : notes) print_out("{}", note);
  }

  // The sides are those of the first file that has both.
  void print_notes(const std::vector<Measured>& all) const {
    std::string sides;
    for (const Measured& measured : all) {
      if (sides.empty()) sides = sides_note(measured.evaluation);
    }
    if (!sides.empty()) print_out("- {}\n", sides);
    // Each with the rows that it is about.
    std::vector<std::pair<std::string, std::vector<std::string>>> notes;
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (const std::string& note :
           {reversed_note(all[i].evaluation), ties_note(all[i].tied_answers)}) {
        if (note.empty()) continue;
        auto found = std::ranges::find(notes, note, [](const auto& n) { return n.first; });
        if (found == notes.end()) found = notes.insert(notes.end(), {note, {}});
        found->second.push_back(names_.empty() ? files_[i] : names_[i]);
      }
    }
    for (const auto& [note, rows] : notes) print_out("- {}: {}\n", fmt::join(rows, ", "), note);
  }

  std::vector<std::string> files_;
  std::vector<std::string> names_;  // of the views of a scenario, or of scores
  EvalFlags flags_;
  ScoreFlags features_;
  std::string against_;
  bool diagnose_ = false;
  bool per_class_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_eval() {
  return std::make_unique<Eval>();
}

}  // namespace openworld
