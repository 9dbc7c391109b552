#pragma once

// What `openworld pretrain` is asked for: plain data, which crosses into the library of models
// (model_library.h).

#include <string>

#include "openworld/pretrain/spec/pretrain_spec.h"

namespace openworld {

struct PretrainFlags {
  PretrainSpec spec = {};
  std::string out = "";
  int threads = 0;
  bool restart = false;
  bool json = false;
};

}  // namespace openworld
