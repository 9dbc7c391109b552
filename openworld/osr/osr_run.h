#pragma once

// One run of open-set training in its folder: started, resumed, or found finished.

#include <optional>
#include <string>

#include "openworld/io/folder_lease.h"
#include "openworld/osr/osr_data.h"
#include "openworld/osr/osr_job.h"
#include "openworld/osr/osr_model.h"
#include "openworld/runs/run_folder.h"

namespace openworld {

class OsrRun {
 public:
  // Throws Error if the folder holds another run, unless that is to be restarted.
  OsrRun(const std::string& folder, RunSpec spec, bool restart);

  const RunFolder& folder() const { return folder_; }

  // The result of a run that is finished. Throws Error for files that are not its.
  std::optional<RunResult> finished() const;

  // Trains, scores and writes the result; none if it was asked to stop. With `test_every` above 0
  // the log has measures of the test samples after so many epochs each. Throws Error.
  std::optional<RunResult> run(const OsrData& data, std::int64_t test_every, int threads,
                               const OsrObserver& observer);

 private:
  // Throws Error if the folder holds another run; else takes over how that spells its paths.
  void expect_same_folder();
  bool train(const OsrModel& model, const OsrData& data, std::int64_t test_every, int threads,
             const OsrObserver& observer);
  OsrEpochTest test(const OsrModel& model, const OsrSamples& samples, int threads) const;
  RunResult finish(const OsrModel& model, const OsrData& data, int threads);

  RunFolder folder_;
  RunSpec spec_;
  bool restart_;
  std::optional<FolderLease> lease_;
  std::optional<double> loss_;  // of the last epoch
  std::int64_t steps_ = 0;
  double train_seconds_ = 0;
};

// The model of a spec, with first values.
OsrModel model_of(const RunSpec& spec);

// Writes predictions of samples with these labels; -1 is unknown. Throws Error as [function].
void save_osr_predictions(const OsrPredictions& predictions,
                          const std::vector<std::int32_t>& labels,
                          const std::vector<std::string>& classes, const std::string& meta,
                          const std::string& path, const std::string& function);

// The part of predictions' meta that says which model made them, in one line.
std::string osr_meta(const RunSpec& spec, const std::string& data, std::size_t samples);

}  // namespace openworld
