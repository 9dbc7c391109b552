#pragma once

// What to encode: the images of a dataset, or the lines of a text file.

#include <cstdint>
#include <string>

#include "openworld/runs/data_spec.h"
#include "openworld/runs/model_spec.h"

namespace openworld {

struct EncodeRequest {
  ModelSpec model = {};
  DataSpec data = {};
  std::string texts = "";  // a file of texts, one a line, instead of data
  FeatureCacheSpec cache = {};
  std::string out = "";        // an .npz
  std::int64_t memory = 1024;  // MiB for the text encoder's work
};

}  // namespace openworld
