#pragma once

// What the tests of this folder share.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "openworld/doctor/check.h"
#include "openworld/io/test_util.h"

namespace openworld::testing {

// What the check of that name finds. Fails unless it applies.
inline std::vector<Finding> findings_of(const Patient& patient, const std::string& name) {
  for (const DoctorCheck* check : doctor_checks()) {
    if (check->name != name) continue;
    EXPECT_TRUE(check->applies(patient)) << name;
    if (!check->applies(patient)) return {};
    std::vector<Finding> findings = check->look(patient);
    for (const Finding& finding : findings) {
      EXPECT_FALSE(finding.what.empty() || finding.means.empty() || finding.fix.empty()) << name;
    }
    return findings;
  }
  ADD_FAILURE() << "no check " << name;
  return {};
}

// "" if nothing is found, else what each finding says, and its examples, a line each.
inline std::string found_by(const Patient& patient, const std::string& name) {
  std::string text;
  for (const Finding& finding : findings_of(patient, name)) {
    text += finding.what + "\n";
    for (const std::string& example : finding.examples) text += example + "\n";
  }
  return text;
}

inline bool has_text(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace openworld::testing
