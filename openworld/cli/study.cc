// openworld study: computes a plan of many cells, on one machine or on several that share a folder.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "openworld/base/error.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/flag_checks.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/study_backend.h"
#include "openworld/cli/study_eval.h"
#include "openworld/cli/study_run.h"
#include "openworld/cli/study_slurm.h"
#include "openworld/cli/study_tables.h"
#include "openworld/cli/study_text.h"
#include "openworld/io/run_cost.h"
#include "openworld/studies/local_jobs.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

class Study : public Command {
 public:
  explicit Study(StudyBackend backend) : backend_(std::move(backend)) {}

  void declare(CLI::App& app) override {
    app.require_subcommand(1);
    declare_json(app, json_);
    declare_run(*app.add_subcommand("run", "compute a plan; what is done before is not repeated"));
    declare_work(*app.add_subcommand("work", "join a study from another shell or machine"));
    declare_status(*app.add_subcommand("status",
                                       "counts, rate, time left and failures; exit code "
                                       "0 done, 1 failed, 3 incomplete"));
    declare_plan(*app.add_subcommand("plan",
                                     "list the cells of a plan, what is done, and how long "
                                     "the rest takes"));
    CLI::App* table = app.add_subcommand(
        "table", "results as the papers print them: text, md, latex, csv or json");
    tables_.declare_table(*table);
    table->callback([this] { chosen_ = &Study::show_tables; });
    CLI::App* report = app.add_subcommand("report", "results as one page of HTML");
    tables_.declare_report(*report);
    report->callback([this] { chosen_ = &Study::write_report; });
    CLI::App* eval = app.add_subcommand("eval",
                                        "measure finished cells again, from their "
                                        "predictions alone");
    eval_.declare(*eval);
    eval->callback([this] { chosen_ = &Study::evaluate_cells; });
    for (CLI::App* sub : app.get_subcommands({})) sub->fallthrough();
  }

  void run() override { (this->*chosen_)(); }
  int exit_code() const override { return exit_code_; }

 private:
  void declare_run(CLI::App& app) {
    declare_plan_flags(app);
    declare_out(app)->required();
    app.add_option("--jobs", jobs_,
                   "worker processes on this machine; threads are divided "
                   "among them")
        ->capture_default_str()
        ->check(CLI::Range(1, 1024));
    app.add_flag("--force", force_, "accept a plan that lacks cells of the study");
    declare_work_flags(app);
    app.add_option("--launcher", launcher_, "who starts workers: local, or slurm")
        ->capture_default_str()
        ->check(CLI::IsMember({"local", "slurm"}));
    app.add_flag(
        "--dry-run", slurm_.dry_run,
        "list the cells that would be computed, and compute nothing; with slurm, write the "
        "scripts and submit nothing");
    declare_slurm(app, slurm_.options);
    app.callback([this, &app] {
      chosen_ = &Study::run_plan;
      slurm_flag_ = given_slurm_flag(app);
      jobs_given_ = app.count("--jobs") > 0;
    });
  }

  void declare_work(CLI::App& app) {
    app.add_option("STUDY", out_, "the folder of a study")->required();
    declare_work_flags(app);
    app.add_option("--cells", cells_file_,
                   "cells that this file lists by name; --from and --to then count its lines");
    app.add_flag("--requeue", requeue_,
                 "after SIGUSR1, which scripts for Slurm ask for before the time limit, requeue "
                 "the task");
    app.callback([this] { chosen_ = &Study::work_on; });
  }

  void declare_status(CLI::App& app) {
    app.add_option("STUDY", out_, "the folder of a study")->required();
    app.add_flag("--verify", options_.verify, "compare the hashes of all files, not sizes alone");
    app.callback([this] { chosen_ = &Study::show_status; });
  }

  void declare_plan(CLI::App& app) {
    declare_plan_flags(app);
    declare_out(app);
    app.callback([this] { chosen_ = &Study::show_plan; });
  }

  void declare_plan_flags(CLI::App& app) {
    app.add_option(
           "PLAN", plan_,
           "a plan (docs/studies.md), or the name of a bundled one (`openworld ls studies`)")
        ->required();
    app.add_flag("--quick", changes_.quick, "the small variant that the plan has in [quick]");
    app.add_option("--data", changes_.data, "these datasets instead of the plan's, with commas")
        ->delimiter(',');
    app.add_option(
           "--model", changes_.models,
           "these models instead of the plan's, with commas; learners as in [published], if "
           "the plan has it")
        ->delimiter(',');
    app.add_option("--looks", changes_.looks, "looks of its scenarios, with commas")
        ->delimiter(',');
    app.add_option("--targets", changes_.targets, "targets of its scenarios, with commas")
        ->delimiter(',');
  }

  CLI::Option* declare_out(CLI::App& app) {
    return app.add_option("--out", out_, "the folder of the study");
  }

  void declare_work_flags(CLI::App& app) {
    app.add_option("--threads", options_.threads,
                   "threads in all; 0: SLURM_CPUS_PER_TASK, else every core")
        ->capture_default_str()
        ->check(CLI::Range(0, 4096));
    app.add_option("--limit", options_.limit, "compute at most so many cells")
        ->check(whole_number());
    app.add_option("--only", options_.only, "cells whose name or description contains this text");
    app.add_option("--from", options_.first_cell, "cells from this number of the plan on")
        ->check(whole_number());
    app.add_option("--to", options_.last_cell, "cells up to this number of the plan")
        ->check(whole_number());
    app.add_flag("--retry-failed", options_.retry_failed, "failed cells too, once");
    // From whoever starts workers, so that they repeat each cell once between them.
    app.add_option("--failed-before", options_.failed_before,
                   "of --retry-failed: cells that failed at this time or before, in seconds since "
                   "1970 by the clock of the folder")
        ->group("");
    app.add_flag("--verify", options_.verify,
                 "compare the hashes of finished cells' files, not sizes alone");
    CLI::Option* most = app.add_option("--max-failures", options_.max_failures,
                                       "stop after so many failed cells [keep going]")
                            ->check(whole_number());
    CLI::Option* fast = app.add_flag("--fail-fast", fail_fast_, "stop at the first failed cell");
    app.add_flag("--keep-going", keep_going_, "go on after failed cells (default)")
        ->excludes(most)
        ->excludes(fast);
  }

  void run_plan() {
    const bool local = launcher_ == "local";
    if (local && !slurm_flag_.empty()) {
      fail("study", fmt::format("{} is of Slurm; expected --launcher slurm", slurm_flag_));
    }
    if (!local && jobs_given_) {
      fail("study",
           "--jobs is of local workers; with Slurm, --array-limit says how many tasks "
           "run at a time");
    }
    const std::string shown = out_;
    out_ = absolute_path(out_);
    const ResolvedPlan plan = resolve_plan(plan_, changes_, backend_);
    backend_.make_runner()->check(plan.study.cells);
    const StudyInit init{plan.study, plan.text, force_};
    if (local && slurm_.dry_run) {
      StudyStore::check(out_, init, "study");
      return list_cells(plan, out_, shown, true);
    }
    const PlanChange change = StudyStore::begin(out_, init, "study");
    if (!json_ && change.added > 0 && change.added < plan.study.cells.size()) {
      print_out("{}: {} new cells in the plan\n", shown, change.added);
    }
    StudyStore store(out_, "study");
    if (fail_fast_) options_.max_failures = 1;
    if (!local) return submit(store);
    const int signal =
        run_workers(store, {.out = out_, .jobs = jobs_, .force = force_, .json = json_}, options_);
    show_progress(store, shown);
    if (signal != 0) exit_code_ = stopped_exit_code(signal);
  }

  void submit(StudyStore& store) {
    const RunClock clock;
    Json scripts = Json::array();
    const auto each = [&](const SubmittedScript& script) {
      scripts.push_back({{"script", script.path},
                         {"job", script.job.empty() ? Json(nullptr) : Json(script.job)},
                         {"tasks", script.tasks},
                         {"cells", script.cells}});
      if (json_) return;
      print_out("{}: {}; {} in {} task{}\n", script.path,
                script.job.empty() ? "not submitted" : "job " + script.job,
                counted_cells(script.cells), script.tasks, script.tasks == 1 ? "" : "s");
    };
    const std::size_t queued = submit_study(store, slurm_, options_, each);
    if (!json_ && queued > 0) print_out("{} in the queue already\n", counted_cells(queued));
    if (!json_ && scripts.empty()) print_out("nothing is left to submit\n");
    if (!json_) return;
    print_json({{"schema", "openworld.study_slurm/1"},
                {"scripts", std::move(scripts)},
                {"queued", queued},
                {"cost", run_cost_json(clock.cost())}});
  }

  void work_on() {
    const RunClock clock;
    const std::string shown = out_;
    StudyStore store(absolute_path(out_), "study");
    if (!cells_file_.empty()) choose_listed_cells(cells_file_, options_);
    enter_plan_folder(store);
    if (fail_fast_) options_.max_failures = 1;
    options_.threads = threads_in_all(options_.threads);
    WorkSummary summary;
    const auto runner = backend_.make_runner();
    const int signal = run_worker(store, *runner, options_, json_, summary);
    exit_code_ = signal != 0 ? stopped_exit_code(signal) : summary.failed > 0 ? 1 : 0;
    if (requeue_ && signal == SIGUSR1) requeue_this_task();
    if (!json_) return;
    print_json({{"schema", "openworld.study_work/1"},
                {"study", shown},
                {"computed", summary.computed},
                {"failed", summary.failed},
                {"stopped", summary.stopped},
                {"cost", run_cost_json(clock.cost())}});
  }

  void show_tables() { tables_.print_table(json_); }
  void write_report() { tables_.write_report(json_); }
  void evaluate_cells() { exit_code_ = eval_.run(json_); }

  void show_status() {
    StudyStore store(out_, "study");
    show_progress(store, out_);
  }

  void show_progress(StudyStore& store, const std::string& shown) {
    const RunClock clock;
    const StudyProgress progress = study_progress(store.cells(), store.statuses(options_.verify));
    exit_code_ = progress_exit_code(progress);
    if (!json_) return print_plain(progress_text(shown, progress));
    Json json = {{"schema", "openworld.study_status/1"}};
    json.update(progress_json(shown, progress));
    json["cost"] = run_cost_json(clock.cost());
    print_json(json);
  }

  void show_plan() {
    const std::string shown = out_.empty() ? plan_ : out_;
    const std::string out = out_.empty() ? "" : absolute_path(out_);
    list_cells(resolve_plan(plan_, changes_, backend_), out, shown, false);
  }

  // All cells, or those alone that a run with these options would compute.
  void list_cells(const ResolvedPlan& plan, const std::string& out, const std::string& shown,
                  bool open_only) {
    const RunClock clock;
    const std::vector<StudyCell>& cells = plan.study.cells;
    std::vector<CellStatus> states(cells.size());
    std::error_code ignored;  // a study that was not begun yet has no cell that is done
    if (!out.empty() && std::filesystem::exists(out + "/study.json", ignored)) {
      StudyStore store(out, "study");
      for (std::size_t i = 0; i < cells.size(); ++i) states[i] = store.status(cells[i]);
    }
    std::vector<std::size_t> listed;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (open_only && options_.limit > 0 && listed.size() == options_.limit) break;
      if (!open_only ||
          (is_open(states[i].state, options_.retry_failed) && is_chosen(options_, cells[i], i))) {
        listed.push_back(i);
      }
    }
    const StudyProgress progress = study_progress(cells, states);
    if (json_) return print_plan_json(plan, states, listed, progress, shown, clock);
    for (const std::size_t i : listed) {
      print_out("{:>5}  {}  {:<8} {}\n", i + 1, cells[i].id.substr(0, 8),
                cell_state_name(states[i].state), cell_text(cells[i].cell));
    }
    print_plain(progress_text(shown, progress));
    if (open_only) print_out("{} would be computed\n", counted_cells(listed.size()));
  }

  static void print_plan_json(const ResolvedPlan& plan, const std::vector<CellStatus>& states,
                              const std::vector<std::size_t>& listed, const StudyProgress& progress,
                              const std::string& shown, const RunClock& clock) {
    Json list = Json::array();
    for (const std::size_t i : listed) {
      const StudyCell& cell = plan.study.cells[i];
      Json json = {
          {"id", cell.id}, {"name", cell.name}, {"state", cell_state_name(states[i].state)}};
      json.update(cell_json(cell.cell));
      list.push_back(std::move(json));
    }
    Json json = {{"schema", "openworld.study_plan/1"}};
    json.update(progress_json(shown, progress));
    json["list"] = std::move(list);
    json["cost"] = run_cost_json(clock.cost());
    print_json(json);
  }

  StudyBackend backend_;
  void (Study::*chosen_)() = nullptr;
  int exit_code_ = 0;
  std::string plan_, out_, cells_file_;
  std::string slurm_flag_;  // one that was given, of those that are Slurm's alone
  PlanChanges changes_;
  StudyTablesCommand tables_;
  int jobs_ = 1;
  bool jobs_given_ = false;
  bool force_ = false, fail_fast_ = false, keep_going_ = false, requeue_ = false, json_ = false;
  std::string launcher_ = "local";
  SlurmFlags slurm_;
  StudyEvalCommand eval_;
  WorkOptions options_;
};

}  // namespace

std::unique_ptr<Command> make_study_command(StudyBackend backend) {
  return std::make_unique<Study>(std::move(backend));
}

}  // namespace openworld
