#pragma once

// A source of images as a stage uses it.

#include <cstdint>
#include <string>

#include "openworld/pretrain/spec/pretrain_options.h"
#include "openworld/worlds/captions.h"

namespace openworld {

struct StageSource {
  const CaptionSource* pairs = nullptr;
  SourceOptions options = {};
  double share = 1;  // of the pairs of a batch, relative to other sources
};

}  // namespace openworld
