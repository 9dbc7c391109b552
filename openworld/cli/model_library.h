#pragma once

// The library of models: what needs libtorch, which takes 0.7 s to load, kept out of a program that
// otherwise starts in milliseconds. It lies in ../lib/openworld beside the program's folder, built
// and installed alike.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "openworld/cli/model_commands.h"
#include "openworld/cli/openset_flags.h"
#include "openworld/cli/pretrain_flags.h"
#include "openworld/runs/run_threshold.h"
#include "openworld/studies/cell_runner.h"

namespace openworld {

struct LibrarySettings {
  std::optional<std::uint64_t> memory_limit;
  std::string table_format;
  bool quiet = false;
};

struct ModelLibrary {
  // Before the others: settings of the program, of which the library has its own copies.
  void (*start)(const LibrarySettings& settings);
  void (*encode)(const EncodeCommand& command);
  void (*zeroshot)(const ZeroShotCommand& command);
  void (*pretrain)(const PretrainFlags& flags);
  void (*tune)(const TuneCommand& command);
  void (*osr_train)(const OsrTrainCommand& command);
  void (*osr_eval)(const OsrEvalCommand& command);
  void (*osr_score)(const OsrScoreCommand& command);
  void (*osr_list)(const OsrListCommand& command);
  void (*predict)(const PredictCommand& command);
  // r and fit of the images of a command; those that cannot be read are left out.
  SampleScores (*score_images)(const PredictCommand& command);
  void (*list_learners)(const LearnerListCommand& command);
  void (*openset)(const OpenSetFlags& flags);
  void (*doctor_features)(const DoctorFeatures& request);
  // Who computes the cells of studies.
  std::unique_ptr<CellRunner> (*cell_runner)();
};

// Whether it is there; a build without libtorch has none.
bool has_model_library();

// Opens it. Throws Error if it is missing or does not load.
const ModelLibrary& model_library();

}  // namespace openworld
