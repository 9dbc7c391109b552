#pragma once

// What the tests of this folder share.

#include <string>

#include "openworld/io/test_util.h"
#include "openworld/worlds/dataset.h"

namespace openworld::testing {

// "label path, label path" of all samples.
inline std::string samples_of(const Dataset& dataset) {
  std::string text;
  for (const Sample& sample : dataset.samples) {
    text += (text.empty() ? "" : ", ") + std::to_string(sample.label) + " " + sample.path;
  }
  return text;
}

inline std::string contents(const Dataset& dataset, std::size_t i) {
  return std::string(as_text(read_sample(dataset, i).values));
}

}  // namespace openworld::testing
