// Checks of the files of a run.

#include <fmt/format.h>

#include "openworld/base/error.h"
#include "openworld/doctor/check.h"
#include "openworld/doctor/fix_command.h"
#include "openworld/io/sha256.h"

namespace openworld {
namespace {

bool is_run(const Patient& patient) {
  return patient.run.has_value();
}

std::vector<Finding> look_for_unfinished(const Patient& patient) {
  if (patient.run->folder.is_finished()) return {};
  Finding finding;
  finding.what = fmt::format("{}: has no result.json: it is not finished", patient.path);
  finding.means = "it was stopped, or is running; eval, report and predict refuse it";
  const bool osr = patient.run->spec.network.has_value();
  finding.fix = fmt::format(
      "openworld {} --method {} --{} {} --data {} --seed {} --out {}, with its other options, "
      "resumes it",
      osr ? "osr train" : "tune", patient.run->spec.method, osr ? "net" : "model",
      shell_word(patient.run->spec.model.path), shell_word(patient.run->spec.data.path),
      patient.run->spec.seed, shell_word(patient.path));
  return {finding};
}

std::vector<Finding> look_for_damage(const Patient& patient) {
  std::vector<Finding> findings;
  for (const RunFile file :
       {RunFile::kSpec, RunFile::kPrompts, RunFile::kModel, RunFile::kPredictions}) {
    try {
      patient.run->folder.expect_whole({file}, "doctor");
    } catch (const Error& e) {
      Finding finding;
      finding.what = std::string(e.message());
      finding.means = "its numbers and its answers are not those of the run";
      finding.fix = fmt::format(
          "openworld {}, with the options of run.json and --out to a new folder, or copy {} again",
          patient.run->spec.network ? "osr train" : "tune", patient.path);
      findings.push_back(std::move(finding));
    }
  }
  return findings;
}

std::vector<Finding> look_for_other_model(const Patient& patient) {
  const RunModel& tuned = patient.run->spec.model;
  const std::string found = hex_text(patient.model->sha256());
  if (tuned.sha256.empty() || tuned.sha256 == found) return {};
  Finding finding;
  finding.what = fmt::format(
      "{}: the weights at {} are not those that were tuned: SHA-256 {}..., "
      "expected {}...",
      patient.path, tuned.path, found.substr(0, 12), tuned.sha256.substr(0, 12));
  finding.means = "predict refuses them; prompts fit the weights they were tuned for";
  finding.fix =
      fmt::format("openworld predict --run {} --model PATH IMAGES", shell_word(patient.path));
  return {finding};
}

}  // namespace

const DoctorCheck kUnfinishedRun = {"unfinished-run", "run", "a run without a result", is_run,
                                    look_for_unfinished};
const DoctorCheck kDamagedRun = {
    "damaged-run", "run", "files whose SHA-256 is not the one in result.json",
    [](const Patient& patient) { return is_run(patient) && patient.run->folder.is_finished(); },
    look_for_damage};
const DoctorCheck kOtherModel = {
    "other-model", "run", "weights that are not those that were tuned",
    [](const Patient& patient) { return is_run(patient) && patient.model.has_value(); },
    look_for_other_model};

}  // namespace openworld
