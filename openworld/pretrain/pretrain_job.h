#pragma once

// PretrainJob: a pre-training run from its spec to a model folder, through all of its stages. It
// resumes an unfinished run of the same spec, and refuses the folder of another.
//
//   PretrainJob job(spec, "model", {.threads = 2});
//   const PretrainOutcome outcome = job.run({.stop = [] { return false; }});
//
// The folder holds the model in the layout of Hugging Face, log.jsonl with a line per epoch, and
// pretrain.json, the result, written last. While the run is unfinished it holds state.safetensors,
// from which the next job resumes to the same bits.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "openworld/pretrain/spec/pretrain_result.h"
#include "openworld/pretrain/spec/pretrain_spec.h"

namespace openworld {

// How a job runs; none of it changes the result.
struct PretrainSettings {
  int threads = 0;       // 0: all cores
  bool restart = false;  // start over instead of resuming
};

// What is about to be trained.
struct PretrainStart {
  std::string data;  // description of the pairs
  std::int64_t parameters = 0;
  std::int64_t tokens = 0;  // of the vocabulary
  std::int64_t words = 0;   // names and words with a vector
  std::int64_t step = 0;    // that the run resumes at, of all stages
  std::int64_t steps = 0;
};

struct PretrainProgress {
  std::string stage = "";                        // "" in a run of one
  std::int64_t epoch = 0, epochs = 0;            // of the stage, from 1
  std::int64_t epoch_step = 0, epoch_steps = 0;  // steps of the epoch that are done
  double loss = 0;                               // mean of the epoch so far
};

// Who watches a job. Any member may be empty.
struct PretrainObserver {
  std::function<void(const PretrainStart&)> start = {};
  std::function<void(const PretrainProgress&)> step = {};  // after every step
  // After every epoch, and at the end of a stage; the seconds are those of the stage.
  std::function<void(const PretrainEpoch&, std::int64_t epochs, double seconds_left)> epoch = {};
  std::function<void(const std::string&)> skipped = {};  // an image that cannot be read, and why
  std::function<bool()> stop = {};  // asked after every step; what is done is saved first
};

struct PretrainOutcome {
  enum class Kind {
    kFinished,  // now
    kWasFinished,
    kStopped,
  };
  Kind kind = Kind::kFinished;
  std::int64_t step = 0, steps = 0;  // where it stopped
  PretrainResult result = {};        // unless it stopped
};

class PretrainJob {
 public:
  // Opens captions, model and vocabulary. Sets torch's threads. Throws Error for what cannot be
  // opened, and for a spec that contradicts itself.
  PretrainJob(PretrainSpec spec, std::string out, const PretrainSettings& settings = {});
  ~PretrainJob();

  // What the folder's state and result say of this run.
  const PretrainRecord& record() const;

  // Trains until the end or until asked to stop. Throws Error for a folder that holds another run,
  // or that cannot be written. Call it once.
  PretrainOutcome run(const PretrainObserver& observer = {});

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace openworld
