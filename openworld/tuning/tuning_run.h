#pragma once

// One run of a tuning job in its folder: started, resumed, or found finished.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "openworld/io/folder_lease.h"
#include "openworld/learners/learner.h"
#include "openworld/runs/prediction_meta.h"
#include "openworld/runs/run_folder.h"
#include "openworld/tuning/observer.h"

namespace openworld {

// Test images, encoded once for all runs of a job.
struct TestImages {
  at::Tensor features;               // normalised, [n, embed]
  at::Tensor lengths;                // that they were divided by, [n]
  std::vector<std::size_t> samples;  // of the test dataset
  std::vector<std::int32_t> labels;  // of all classes
  // Some of the images as a learner scores them, beyond their features.
  std::function<void(std::span<const std::size_t> samples, ImageInput input, ScoredImages& images)>
      add_input;
  DataSummary summary;
  double seconds = 0;  // that encoding took
};

class TuningRun {
 public:
  // Throws Error if the folder holds another run, unless that is to be restarted.
  TuningRun(const std::string& folder, RunSpec spec, bool restart);

  const RunSpec& spec() const { return spec_; }
  const RunFolder& folder() const { return folder_; }

  // The result of a run that is finished. Throws Error for a file that is not one.
  std::optional<RunResult> finished() const;

  // Removes what a process left that was killed after it had written the result: the state and the
  // lock. Nothing if another process holds the folder.
  void remove_leftovers() const;

  // Makes the folder, which belongs to this run until it is finished or destroyed, and writes
  // run.json; a run that is restarted is removed first. Throws Error, also if another process
  // writes the folder.
  void begin();

  // Trains to the end or until asked to stop; false in the latter case.
  bool train(Learner& learner, const Episode& episode, const Observer& observer);

  // Scores the test images, writes prompts, predictions and, last, the result.
  RunResult finish(Learner& learner, const TestImages& test, double encode_seconds);

 private:
  // Throws Error if the folder holds another run.
  void expect_same_folder() const;

  RunFolder folder_;
  RunSpec spec_;
  bool restart_;
  std::optional<FolderLease> lease_;
  std::optional<double> loss_;  // of the last epoch
  std::int64_t steps_ = 0, epochs_ = 0, images_ = 0;
  double train_seconds_ = 0;
};

}  // namespace openworld
