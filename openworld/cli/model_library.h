#pragma once

// The library of models: what needs libtorch, which takes 0.7 s to load, kept out of a program that
// otherwise starts in milliseconds. It lies in ../lib/openworld beside the program's folder, built
// and installed alike.

#include "openworld/cli/model_flags.h"
#include "openworld/cli/pretrain_flags.h"
#include "openworld/cli/tune_flags.h"

namespace openworld {

struct ModelLibrary {
  void (*encode)(const EncodeFlags& flags);
  void (*zeroshot)(const ZeroshotFlags& flags);
  void (*pretrain)(const PretrainFlags& flags);
  void (*tune)(const TuneFlags& flags);
  void (*predict)(const PredictFlags& flags);
  void (*list_learners)(const LearnerListFlags& flags);
};

// Opens it. Throws Error if it is missing or does not load.
const ModelLibrary& model_library();

}  // namespace openworld
