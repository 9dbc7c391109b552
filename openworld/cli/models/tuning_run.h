#pragma once

// One run of `openworld tune` in its folder: begun, gone on with, or found finished.

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "openworld/cli/models/tuned_model.h"
#include "openworld/cli/models/tuning_data.h"

namespace openworld {

// Test images, encoded once for all runs of a command.
struct TestImages {
  at::Tensor features;               // normalised, [n, embed]
  std::vector<std::size_t> samples;  // of the test dataset
  std::vector<std::int32_t> labels;  // of all classes
  // Features of the patches of some samples, for learners that score them.
  std::function<at::Tensor(std::span<const std::size_t> samples)> patches;
  nlohmann::ordered_json data;  // what results say about them
  double seconds = 0;           // that encoding took
};

class TuningRun {
 public:
  // Throws Error if the folder holds another run, unless that is to be begun anew.
  TuningRun(std::string folder, nlohmann::ordered_json run, bool restart);

  // The result of a run that is finished. Throws Error for a file that is no result.
  std::optional<nlohmann::ordered_json> finished() const;

  // Makes the folder and writes run.json; what is there of a run to be begun anew goes. Throws
  // Error.
  void begin() const;

  // Trains to the end or until asked to stop; false in the latter case.
  bool train(Learner& learner, const Episode& episode, bool quiet);

  // What run.json holds.
  const nlohmann::ordered_json& description() const { return run_; }

  // Scores the test images, writes prompts, predictions and, last, the result.
  nlohmann::ordered_json finish(Learner& learner, const TestImages& test, double encode_seconds);

 private:
  std::string folder_;
  RunPaths paths_;
  bool restart_;
  nlohmann::ordered_json run_;
  nlohmann::ordered_json last_;  // line of the log
  std::int64_t steps_ = 0, epochs_ = 0, images_ = 0;
  double train_seconds_ = 0;
};

// What a result says, for people. Throws nlohmann::json::exception if it is none.
std::string result_text(const nlohmann::ordered_json& result);

}  // namespace openworld
