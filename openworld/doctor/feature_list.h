#pragma once

// Features of images from a file of `openworld encode`, or of any other program in a file that
// io/feature_reader.h reads, with labels, names, paths and splits where the file has them.

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
