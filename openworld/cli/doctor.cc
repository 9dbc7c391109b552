// openworld doctor: what is wrong with predictions, features, runs, models and images.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/progress.h"
#include "openworld/base/version.h"
#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/flag_checks.h"
#include "openworld/cli/model_flags.h"
#include "openworld/cli/model_library.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/print_rows.h"
#include "openworld/cli/print_table.h"
#include "openworld/doctor/check.h"
#include "openworld/io/run_cost.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kUnhealthy = 1;
// Examples of a finding that people are shown; the JSON has all.
constexpr std::size_t kShown = 5;

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const PatientKind kind : {PatientKind::kPredictions, PatientKind::kFeatures,
                                 PatientKind::kRun, PatientKind::kModel, PatientKind::kData}) {
    names.emplace_back(patient_kind_name(kind));
  }
  return names;
}

struct Examined {
  std::string path;
  PatientKind kind;
  Examination examination;
};

Json examined_json(const Examined& examined) {
  Json findings = Json::array();
  for (const Finding& finding : examined.examination.findings) {
    findings.push_back({{"check", finding.check},
                        {"what", finding.what},
                        {"means", finding.means},
                        {"fix", finding.fix},
                        {"examples", finding.examples}});
  }
  return {{"source", examined.path},
          {"kind", patient_kind_name(examined.kind)},
          {"healthy", examined.examination.healthy()},
          {"checks", examined.examination.looked},
          {"findings", std::move(findings)}};
}

class Doctor : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("PATH", paths_,
                   "predictions, features of images, a run folder, a checkpoint or a "
                   "dataset; several may be given")
        ->required();
    app.add_option("--as", as_,
                   "what PATH is [recognised]: predictions, features, run, model or data")
        ->check(CLI::IsMember(kind_names()));
    app.add_option("--ignore", ignored_, "checks to leave out, with commas")->delimiter(',');
    app.add_option("--model", model_.path,
                   "of images, also look for near-identical ones, by features of this model");
    app.add_option("--near", options_.near,
                   "cosine of two features from which images are near-identical [from how alike "
                   "different images are]")
        ->check(between_0_and_1());
    app.add_option("--base", options_.base,
                   "base classes of a dataset, as for tune: all, half (CoOp's first half), their "
                   "number, names with commas between them, or a file of names")
        ->capture_default_str();
    declare_data_options(app, options_.data);
    app.add_option("--activation", options_.activation,
                   "what the weights need, where they do not say: quick_gelu or gelu")
        ->check(CLI::IsMember({"quick_gelu", "gelu"}));
    app.add_option("--vocabulary", options_.vocabulary,
                   "the vocabulary of the model, if it is not beside the weights");
    declare_cache(app, options_.cache);
    declare_model_run(app, model_);
    declare_json(app, json_);
    std::string checks = "Exit code: 0 if nothing was found, 1 if something was.\n\nChecks:";
    for (const DoctorCheck* check : doctor_checks()) {
      checks += fmt::format("\n  {:<24} {:<12} {}", check->name, check->part, check->looks_for);
    }
    app.footer(checks);
  }

  void run() override {
    const RunClock clock;
    options_.kind = find_patient_kind(as_);
    options_.threads = model_.threads;
    std::vector<Examined> all;
    for (const std::string& path : expand_run_folders(paths_)) all.push_back(examine_path(path));
    healthy_ = std::ranges::all_of(all, [](const Examined& e) { return e.examination.healthy(); });
    if (json_) return print_json(all, clock);
    if (wants_rows(false)) return print_findings(all);
    for (const Examined& examined : all) {
      print_text(examined);
      if (&examined != &all.back()) print_out("\n");
    }
  }

  int exit_code() const override { return healthy_ ? 0 : kUnhealthy; }

 private:
  Examined examine_path(const std::string& path) const {
    std::optional<Progress> progress;
    DoctorOptions options = options_;
    options.on_image = [&](std::size_t done, std::size_t total) {
      if (!progress) progress.emplace("reading images", total);
      progress->update(done);
    };
    Patient patient = open_patient(path, options);
    if (!model_.path.empty()) {
      if (!patient.data) fail("doctor", fmt::format("{}: --model is for images, or a run", path));
      add_features(patient);
    }
    return {path, patient.kind, examine(patient, ignored_)};
  }

  void add_features(Patient& patient) const {
    ModelSpec model = model_;
    model.activation = options_.activation;
    model.vocabulary = options_.vocabulary;
    patient.features.emplace();
    model_library().doctor_features({.data = &*patient.data,
                                     .model = std::move(model),
                                     .cache = options_.cache,
                                     .features = &*patient.features});
  }

  static void print_json(const std::vector<Examined>& all, const RunClock& clock) {
    Json json = {{"schema", "openworld.doctor/1"}, {"version", OPENWORLD_VERSION}};
    if (all.size() == 1) {
      json.update(examined_json(all[0]));
    } else {
      json["results"] = Json::array();
      for (const Examined& examined : all) json["results"].push_back(examined_json(examined));
    }
    json["cost"] = run_cost_json(clock.cost());
    openworld::print_json(json);
  }

  static void print_findings(const std::vector<Examined>& all) {
    TextTable table({"source", "check", "what", "means", "fix"});
    for (std::size_t column = 1; column < table.header().size(); ++column) table.align_left(column);
    for (const Examined& examined : all) {
      for (const Finding& finding : examined.examination.findings) {
        table.add({examined.path, finding.check, finding.what, finding.means, finding.fix});
      }
    }
    print_table(table);
  }

  static void print_text(const Examined& examined) {
    const Examination& found = examined.examination;
    print_out("{} ({}): ", examined.path, patient_kind_name(examined.kind));
    if (found.healthy()) {
      print_out("healthy, by {} check{}: {}\n", found.looked.size(),
                found.looked.size() == 1 ? "" : "s", fmt::join(found.looked, ", "));
      return;
    }
    print_out("{} problem{}\n", found.findings.size(), found.findings.size() == 1 ? "" : "s");
    for (const Finding& finding : found.findings) {
      print_out("\n{}: {}\n", finding.check, finding.what);
      const std::size_t shown = std::min(finding.examples.size(), kShown);
      for (std::size_t i = 0; i < shown; ++i) print_out("    {}\n", finding.examples[i]);
      if (shown < finding.examples.size()) {
        print_out("    and {} more; --json lists all\n", finding.examples.size() - shown);
      }
      print_out("  means: {}\n  fix: {}\n", finding.means, finding.fix);
    }
  }

  std::vector<std::string> paths_, ignored_;
  std::string as_;
  DoctorOptions options_;
  ModelSpec model_;
  bool json_ = false;
  bool healthy_ = true;
};

}  // namespace

std::unique_ptr<Command> make_doctor() {
  return std::make_unique<Doctor>();
}

}  // namespace openworld
