#pragma once

// Open-set training from a request to run folders, and what is done with a run afterwards.
//
// The folder of a run holds run.json, log.jsonl with a line an epoch, model.safetensors,
// predictions.npz of the test samples, in which known classes are base and all else is unknown, and
// result.json, written last; while it is unfinished state.safetensors, from which the same request
// resumes to the same bits. So `eval`, `compare`, `threshold` and `report` read it as they read a
// run of prompt tuning.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "openworld/metrics/evaluate.h"
#include "openworld/runs/osr_request.h"
#include "openworld/runs/run_result.h"

namespace openworld {

struct OsrProgress {
  std::string folder;
  std::int64_t epoch = 0, epochs = 0;            // from 1
  std::int64_t epoch_step = 0, epoch_steps = 0;  // that are done
  double loss = 0;                               // mean of the epoch so far
};

// The test samples after an epoch, by the names that run results have.
struct OsrEpochTest {
  double base_acc = 0, auroc = 0, open_auc = 0;
};

// A line of the log.
struct OsrEpoch {
  std::int64_t step = 0;   // that are done
  std::int64_t epoch = 0;  // from 1
  double loss = 0, lr = 0;
  double images_per_second = 0;
  double gemm_share = 0;                  // of the speed of matrix products, see gemm_rate.h
  double seconds = 0;                     // of training so far, over all times it was resumed
  std::optional<OsrEpochTest> test = {};  // if it was asked for
};

// Who watches a job. Any member may be empty.
struct OsrObserver {
  std::function<void(const std::string&)> note = {};
  std::function<void(const OsrProgress&)> step = {};
  std::function<void(const OsrEpoch&, std::int64_t epochs, double seconds_left)> epoch = {};
  std::function<void(const RunResult&)> result = {};
  std::function<bool()> stop = {};  // asked after every step; what is done is saved first
};

// Trains every run of the request and returns their results. Throws Error, as [osr train], also if
// it was stopped.
std::vector<RunResult> train_osr(const OsrTrainRequest& request, const OsrObserver& observer = {});

// A measure under the name that users of ARPL's code know.
struct OsrMeasure {
  std::string name;    // "TNR"
  std::string metric;  // the project's own: "fpr_at_95tpr"
  MetricResult result;
};

struct OsrEvaluation {
  std::string run, method, data, unknown;
  std::int64_t known_samples = 0, unknown_samples = 0;
  std::vector<OsrMeasure> measures;  // TNR, AUROC, DTACC, AUIN, AUOUT, ACC, OSCR, OpenAUC
};

// Measures a finished run, with intervals, against its own unknown samples or others. Throws Error,
// as [osr eval].
OsrEvaluation evaluate_osr(const OsrEvalRequest& request, const EvalOptions& options,
                           const OsrObserver& observer = {});

struct OsrScored {
  std::string out;
  std::int64_t samples = 0, known_samples = 0, classes = 0;
};

// Writes predictions. Throws Error, as [osr score].
OsrScored score_osr(const OsrScoreRequest& request);

}  // namespace openworld
