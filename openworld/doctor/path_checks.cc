// Paths that are gone: of the parts of a run, and of images in a list.

#include <fmt/format.h>

#include <filesystem>

#include "openworld/doctor/check.h"
#include "openworld/doctor/fix_command.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

bool is_gone(const fs::path& path) {
  std::error_code ignored;
  return !fs::exists(path, ignored);
}

// What run.json names beside the model and the images.
std::vector<Unopened> gone_files(const RunPart& run) {
  const std::string& folder = run.folder.path();
  std::vector<Unopened> gone;
  const auto look = [&](const char* role, const std::string& path, const std::string& fix) {
    if (path.empty() || is_bundled_world(path) || !is_gone(path)) return;
    gone.push_back({.role = role, .path = path, .error = "", .gone = true, .fix = fix});
  };
  const std::string rerun = report_command(folder);
  look("vocabulary", run.spec.model.vocabulary,
       fmt::format("openworld predict --run {} --vocabulary PATH IMAGES", shell_word(folder)));
  look("file of names", run.spec.data.names, rerun);
  look("folder of images", run.spec.data.image_root, rerun);
  look("test images", run.spec.data.test_data, rerun);
  if (run.spec.scenario) {
    for (const RunTestData& data : run.spec.scenario->looks) look("look", data.data, rerun);
    for (const RunTestData& data : run.spec.scenario->targets) look("target", data.data, rerun);
  }
  return gone;
}

std::vector<Finding> look_for_parts(const Patient& patient) {
  std::vector<Unopened> parts = patient.unopened;
  for (Unopened& part : gone_files(*patient.run)) parts.push_back(std::move(part));
  std::vector<Finding> findings;
  for (const Unopened& part : parts) {
    Finding finding;
    finding.what =
        part.gone
            ? fmt::format("{}: its {}, {}, is gone", patient.path, part.role, part.path)
            : fmt::format("{}: its {} cannot be opened: {}", patient.path, part.role, part.error);
    finding.means = "commands that need it fail, and what depends on it was not examined";
    finding.fix = part.fix;
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::vector<Finding> look_for_images(const Patient& patient) {
  Finding finding;
  std::size_t total = 0;
  for (const Dataset& split : patient.data->splits) {
    for (std::size_t i = 0; i < split.samples.size(); ++i) {
      if (is_gone(sample_name(split, i))) finding.examples.push_back(sample_name(split, i));
    }
    total += split.samples.size();
  }
  if (finding.examples.empty()) return {};
  const std::string& path = patient.data->spec.path;
  finding.what = fmt::format("{}: {} of {} images are gone", path, finding.examples.size(), total);
  finding.means = "they are skipped or refused, and results are of the images that are left";
  finding.fix = fmt::format(
      "put them back, or give the folder that has them: openworld doctor {} --image-root FOLDER",
      shell_word(path));
  return {finding};
}

}  // namespace

const DoctorCheck kPathsGone = {
    "paths-gone", "run", "a model, vocabulary, names or images that are not where run.json says",
    [](const Patient& patient) { return patient.run.has_value(); }, look_for_parts};
const DoctorCheck kImagesGone = {
    "images-gone", "images", "images that are listed but not there",
    [](const Patient& patient) { return patient.data && !patient.data->splits[0].source; },
    look_for_images};

}  // namespace openworld
