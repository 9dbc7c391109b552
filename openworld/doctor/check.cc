#include "openworld/doctor/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "openworld/base/error.h"
#include "openworld/base/nearest_name.h"
#include "openworld/base/quotes.h"

namespace openworld {

std::span<const DoctorCheck* const> doctor_checks() {
  static constexpr std::array<const DoctorCheck*, 18> kChecks = {
      &kReversedScore,     &kTiedLogits,           &kSaturatedScores,
      &kLabelOrder,        &kFolderOrder,          &kEqualNames,
      &kContainedNames,    &kUnfinishedRun,        &kDamagedRun,
      &kPathsGone,         &kImagesGone,           &kOtherModel,
      &kAssumedActivation, &kAssumedPreprocessing, &kMissingVocabulary,
      &kCacheDamage,       &kDuplicateImages,      &kNearDuplicates};
  return kChecks;
}

Examination examine(const Patient& patient, std::span<const std::string> ignored) {
  std::vector<std::string> names;
  for (const DoctorCheck* check : doctor_checks()) names.emplace_back(check->name);
  for (const std::string& name : ignored) {
    if (std::ranges::find(names, name) != names.end()) continue;
    fail("doctor", fmt::format("no check {}; {}", in_quotes(name), known_names(name, names)));
  }
  Examination examination;
  for (const DoctorCheck* check : doctor_checks()) {
    const bool left_out = std::ranges::find(ignored, check->name) != ignored.end();
    if (left_out || !check->applies(patient)) continue;
    examination.looked.push_back(check->name);
    for (Finding& finding : check->look(patient)) {
      finding.check = check->name;
      examination.findings.push_back(std::move(finding));
    }
  }
  return examination;
}

}  // namespace openworld
