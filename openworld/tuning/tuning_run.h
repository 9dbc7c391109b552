#pragma once

// One run of a tuning job in its folder: started, resumed, or found finished.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "openworld/io/folder_lease.h"
#include "openworld/io/run_cost.h"
#include "openworld/learners/learner.h"
#include "openworld/runs/run_folder.h"
#include "openworld/tuning/encoded_images.h"
#include "openworld/tuning/observer.h"

namespace openworld {

struct TestViews;

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

  // The same of a run with a scenario: the predictions of every view. `lists` are the names that
  // the views have columns of.
  RunResult finish(Learner& learner, const std::vector<NameList>& lists, const TestViews& test,
                   double encode_seconds);

 private:
  // What scoring took.
  struct Times {
    double encode, text, score;
  };

  // Everything but metrics, views and files.
  RunResult result_of(const Learner& learner, std::int64_t test_images, const Times& times,
                      const RunClock& clock) const;

  // Throws Error if the folder holds another run; else takes over how that spells its paths.
  void expect_same_folder();

  RunFolder folder_;
  RunSpec spec_;
  bool restart_;
  std::optional<FolderLease> lease_;
  std::optional<double> loss_;  // of the last epoch
  std::int64_t steps_ = 0, epochs_ = 0, images_ = 0;
  double train_seconds_ = 0;
};

}  // namespace openworld
