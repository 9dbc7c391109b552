#pragma once

// What the commands that run a model are asked for: plain data, which crosses into the library of
// models (model_library.h).

#include <string>
#include <vector>

#include "openworld/metrics/evaluate.h"
#include "openworld/runs/encode_request.h"
#include "openworld/runs/osr_request.h"
#include "openworld/runs/tuning_request.h"
#include "openworld/runs/zero_shot_request.h"

namespace openworld {

struct DataPart;     // doctor/patient.h
struct FeatureList;  // the same

struct EncodeCommand {
  EncodeRequest request = {};
  bool json = false;
};

struct ZeroShotCommand {
  ZeroShotRequest request = {};
  bool json = false;
};

struct TuneCommand {
  TuningRequest request = {};
  bool several = false;  // seeds were listed: the JSON is a list of results
  bool json = false;
};

struct OsrTrainCommand {
  OsrTrainRequest request = {};
  bool several = false;  // seeds were listed: the JSON is a list of results
  bool json = false;
};

struct OsrEvalCommand {
  OsrEvalRequest request = {};
  EvalOptions options = {};
  bool json = false;
};

struct OsrScoreCommand {
  OsrScoreRequest request = {};
  bool json = false;
};

// `openworld osr ls`; an empty name: all.
struct OsrListCommand {
  std::string name = "";
  bool json = false;
};

struct PredictCommand {
  std::string run = "";
  std::vector<std::string> images = {};
  ModelSpec model = {};  // path and vocabulary instead of those that the run names
  bool json = false;
  bool json_lines = false;
  std::string csv = "";        // a file to write; empty: none
  std::string sort_into = "";  // a folder to make; empty: none
  bool copy = false;           // copies in it, not links
};

// `openworld ls learners` and `openworld help learner NAME`; an empty name: all.
struct LearnerListCommand {
  std::string name = "";
  bool json = false;
};

// Features of the images of `data`, for `openworld doctor --model`. REQUIRES: pointers that are not
// null.
struct DoctorFeatures {
  const DataPart* data = nullptr;
  ModelSpec model = {};
  FeatureCacheSpec cache = {};
  FeatureList* features = nullptr;
};

}  // namespace openworld
