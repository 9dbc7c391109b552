#pragma once

// The checks of `openworld doctor`, one row each.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/doctor/finding.h"
#include "openworld/doctor/patient.h"

namespace openworld {

struct DoctorCheck {
  std::string_view name;       // "reversed-score"
  std::string_view part;       // what it looks at, one word or two
  std::string_view looks_for;  // one line, no full stop
  // Whether the patient has what it looks at.
  bool (*applies)(const Patient& patient);
  std::vector<Finding> (*look)(const Patient& patient);
};

// In the order in which they are looked for.
std::span<const DoctorCheck* const> doctor_checks();

struct Examination {
  std::vector<Finding> findings;
  std::vector<std::string_view> looked;  // names of the checks that were made

  bool healthy() const { return findings.empty(); }
};

// Every check that applies but those named in `ignored`. Throws Error for a name that no check has.
Examination examine(const Patient& patient, std::span<const std::string> ignored = {});

// Rows by file.
extern const DoctorCheck kReversedScore;  // prediction_checks.cc
extern const DoctorCheck kTiedLogits;
extern const DoctorCheck kSaturatedScores;
extern const DoctorCheck kLabelOrder;   // label_order.cc
extern const DoctorCheck kFolderOrder;  // folder_order.cc
extern const DoctorCheck kEqualNames;   // name_checks.cc
extern const DoctorCheck kContainedNames;
extern const DoctorCheck kPathsGone;  // path_checks.cc
extern const DoctorCheck kImagesGone;
extern const DoctorCheck kUnfinishedRun;  // run_checks.cc
extern const DoctorCheck kDamagedRun;
extern const DoctorCheck kOtherModel;
extern const DoctorCheck kAssumedActivation;  // model_checks.cc
extern const DoctorCheck kAssumedPreprocessing;
extern const DoctorCheck kMissingVocabulary;
extern const DoctorCheck kCacheDamage;      // cache_check.cc
extern const DoctorCheck kDuplicateImages;  // duplicate_images.cc
extern const DoctorCheck kNearDuplicates;   // near_duplicates.cc

}  // namespace openworld
