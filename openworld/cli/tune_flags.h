#pragma once

// The flags of `openworld tune` and `openworld predict`: plain data, as model_flags.h explains.

#include <cstdint>
#include <string>
#include <vector>

#include "openworld/cli/model_flags.h"

namespace openworld {

struct TuneFlags {
  std::string method;
  ModelFlags model;
  DataFlags data;
  CacheFlags cache;
  std::string train_split, test_split;
  std::string test_data;
  std::string base = "half";
  std::string templates;
  bool keep_underscores = false;

  std::size_t shots = 16;
  std::string shot_rule = "auto";
  bool allow_fewer = false;
  std::int64_t views = 0;
  std::uint64_t seed = 1;
  std::string seeds;
  std::int64_t epochs = 0;  // 0: the method's own
  double logit_scale = 0;   // 0: the model's own
  std::vector<std::string> set;

  std::string out;
  std::string label;  // empty: none of its own
  std::int64_t memory = 1024;
  bool restart = false;
  bool json = false;
};

struct PredictFlags {
  std::string run;
  std::vector<std::string> images;
  std::string model;       // instead of the one that the run names
  std::string vocabulary;  // of it
  std::size_t batch = 32;
  int threads = 0;
  bool json = false;
};

// What `openworld ls learners` and `openworld help learner NAME` ask for; an empty name: all.
struct LearnerListFlags {
  std::string name;
  bool json = false;
};

}  // namespace openworld
