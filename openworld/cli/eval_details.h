#pragma once

// What `openworld eval` adds to the metrics when asked: the cost of each stage, and every class.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "openworld/analysis/diagnosis.h"
#include "openworld/metrics/per_class.h"

namespace openworld {

nlohmann::ordered_json diagnosis_json(const Diagnosis& diagnosis);
void print_diagnosis(const Diagnosis& diagnosis);

// Names of classes, where the file has them: base names, then new names.
struct ClassNames {
  std::span<const std::string> names;
  std::int32_t base_classes;

  // The name, or empty.
  std::string of(const ClassAccuracy& c) const;
};

nlohmann::ordered_json per_class_json(const std::vector<ClassAccuracy>& classes,
                                      const ClassNames& names);
void print_per_class(const std::vector<ClassAccuracy>& classes, const ClassNames& names);

}  // namespace openworld
