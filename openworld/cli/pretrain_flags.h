#pragma once

// The flags of `openworld pretrain`: plain data, as model_flags.h explains.

#include <cstdint>
#include <string>
#include <vector>

#include "openworld/cli/model_flags.h"

namespace openworld {

struct PretrainFlags {
  DataFlags data;
  std::string templates;
  double long_tail = 1;
  std::string out;

  std::string config = "pocket";
  std::string init;
  std::string lock;
  std::string reinit;
  std::string vocabulary;
  std::size_t merges = 4000;

  std::int64_t epochs = 30;
  std::int64_t batch = 128;
  std::int64_t extra_captions = 0;
  double naming = 0;
  double lr = 1e-3;
  double warmup = 1;
  double weight_decay = 0.1;
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-6;
  double clip = 1;
  double shared = 0;
  double smoothing = 0;
  bool no_centre = false;
  double average = 0;

  std::string augment = "crop";
  double rotate = 15;
  std::vector<double> zoom = {0.8, 1.1};
  double shear = 10;
  double shift = 0.08;
  double flip = 0.5;
  double bend = 0;
  double cover = 0;

  std::uint64_t seed = 1;
  int shards = 4;
  int threads = 0;
  bool half = false;
  std::vector<std::string> eval;
  std::string eval_split;
  std::int64_t eval_every = 0;
  bool restart = false;
  bool json = false;
};

}  // namespace openworld
