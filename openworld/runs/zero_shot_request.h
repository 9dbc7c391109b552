#pragma once

// What to classify without tuning: a dataset, with its class names put into templates.

#include <cstdint>
#include <string>

#include "openworld/runs/data_spec.h"
#include "openworld/runs/model_spec.h"

namespace openworld {

struct ZeroShotRequest {
  ModelSpec model = {};
  DataSpec data = {};
  FeatureCacheSpec cache = {};
  std::string templates = "";         // empty: the dataset's own, else photo
  std::string ensemble = "features";  // average features, or "logits"
  std::string base = "all";           // all, half, or a number
  bool keep_underscores = false;
  double level = 0.95;         // of intervals
  std::string out = "";        // an .npz of predictions; empty: none
  std::int64_t memory = 1024;  // MiB for the text encoder's work
};

}  // namespace openworld
