#pragma once

// Zero-shot classification of a dataset: class names in templates, nothing tuned.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "openworld/runs/prediction_meta.h"
#include "openworld/runs/zero_shot_request.h"
#include "openworld/stats/proportions.h"
#include "openworld/tuning/observer.h"

namespace openworld {

struct ZeroShotAccuracy {
  std::int64_t images = 0;  // that have a label
  std::int64_t top1 = 0;
  std::optional<std::int64_t> top5{};  // where there are more than five classes
  double mean_per_class = 0;           // over classes that have images
};

struct ZeroShotResult {
  RunModel model;
  DataSummary data;
  std::vector<std::string> templates;
  std::string ensemble;
  std::size_t base_classes = 0;
  double logit_scale = 0;
  std::optional<ZeroShotAccuracy> accuracy{};  // none where no image has a label
  double level = 0.95;
  std::string out{};  // the predictions that were written, or ""
};

// Schema "openworld.zeroshot/2", without the cost.
nlohmann::ordered_json zero_shot_json(const ZeroShotResult& result);

// Throws Error.
ZeroShotResult run_zero_shot(const ZeroShotRequest& request, const Observer& observer = {});

}  // namespace openworld
