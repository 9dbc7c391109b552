#pragma once

// TuningRequest: what a user asks to tune, before datasets and models are opened. A TuningJob makes
// the RunSpec of every seed from it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "openworld/runs/data_spec.h"
#include "openworld/runs/model_spec.h"

namespace openworld {

// What is tuned on and tested, level by level; the fields are those of `openworld scenario show`.
struct ScenarioRequest {
  std::string name;
  std::vector<std::string> options = {};  // "key=value"
  std::vector<std::string> looks = {}, targets = {};
};

struct TuningRequest {
  std::string method;
  std::vector<std::string> options = {};  // "key=value"
  std::int64_t epochs = 0;                // 0: the method's own

  ModelSpec model = {};
  double logit_scale = 0;  // 0: the model's own

  DataSpec data = {};            // options.split is not used
  std::string train_split = "";  // empty: train
  std::string test_split = "";   // empty: test, else val
  std::string test_data = "";    // where test images are a dataset of their own
  FeatureCacheSpec cache = {};

  std::optional<ScenarioRequest> scenario = std::nullopt;  // none: base to new, with all logits
  std::string base = "half";   // half, all, or a number; of a run without a scenario
  std::string templates = "";  // a template, a file or a set; empty: the dataset's own, else photo
  bool keep_underscores = false;

  std::size_t shots = 16;          // of each base class; 0: all
  std::string shot_rule = "auto";  // coop, decoop, or the method's own
  bool allow_fewer = false;
  std::int64_t views = 0;  // random crops of each training image
  bool augment = false;    // a new random crop in every epoch, for methods that take images

  std::string label = "";      // what tables call it
  std::int64_t memory = 1024;  // MiB for the text encoder's work
  bool restart = false;        // instead of resuming what is in the folder

  // A run for each.
  struct Run {
    std::uint64_t seed = 1;
    std::string folder;
  };
  std::vector<Run> runs = {};
};

}  // namespace openworld
