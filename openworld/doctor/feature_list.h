#pragma once

// Features of images from a file of `openworld encode`, or from elsewhere in the same arrays:
// features (N x width), and, where the file has them, labels, names, paths and splits.

#include <string>
#include <vector>

#include "openworld/doctor/patient.h"

namespace openworld {

struct FeaturesWithNames {
  FeatureList features;
  std::vector<std::string> names;  // by label; empty where the file has none
};

// Throws Error as [doctor].
FeaturesWithNames read_features(const std::string& path);

}  // namespace openworld
