#pragma once

// One stage of pre-training, step by step.
//
//   Pretrainer trainer(std::move(model), {.sources = ..., .tokenizer = &tokenizer}, options);
//   while (trainer.step() < trainer.steps()) {
//     const StepReport report = trainer.run_step();
//     ...
//     trainer.save("state.safetensors", 0, run);
//   }
//   save_clip(trainer.result().finished(), vocabulary, "model");
//
// Order, captions, renderings and augmentations depend on (seed, epoch, index) alone, so a trainer
// that loads the state of another resumes bit for bit: on the same machine and, if there are no
// more threads than shards, with any number of threads.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "openworld/base/worker_pool.h"
#include "openworld/io/origin.h"
#include "openworld/io/safetensors.h"
#include "openworld/pretrain/adamw.h"
#include "openworld/pretrain/batch_parts.h"
#include "openworld/pretrain/loss_term.h"
#include "openworld/pretrain/spec/pretrain_options.h"
#include "openworld/pretrain/stage_images.h"
#include "openworld/pretrain/stage_source.h"
#include "openworld/pretrain/trained_model.h"
#include "openworld/text/tokenizer.h"

namespace openworld {

// What a stage learns from; all of it outlives the trainer.
struct StageInputs {
  std::vector<StageSource> sources;
  const Tokenizer* tokenizer = nullptr;
  const WordTable* words = nullptr;  // for losses of words and texts
};

struct StepReport {
  double loss = 0;
  std::vector<TermValue> terms;  // in the order of term_names()
  double accuracy = 0;           // of the last term that is not agreement or guesses
  double gradient_norm = 0;
  double lr = 0;
  double logit_scale = 0;             // after the step
  std::size_t images = 0;             // in the batch, or whose features were used
  double flops = 0;                   // of matrix products
  std::vector<std::string> failures;  // images that could not be read
};

class Pretrainer {
 public:
  // Takes the weights of `model` as its own. Throws Error if there are no pairs, for options out of
  // range, and for losses that the sources have nothing for.
  Pretrainer(TrainedModel model, StageInputs inputs, const PretrainOptions& options);
  ~Pretrainer();

  std::int64_t steps() const;
  std::int64_t steps_per_epoch() const { return images_.plan().steps_per_epoch(); }
  std::int64_t step() const { return step_; }  // that are done
  std::vector<std::string> term_names() const;

  // The next step. Throws Error when the loss is no longer finite, or no image of an epoch could be
  // read. REQUIRES: step() < steps().
  StepReport run_step();

  // The model so far, or the running mean of it; a copy without gradients.
  TrainedModel result() const;

  // Everything that the next step depends on, in one file that is whole or not there, with the
  // number of the stage; `run` is any text that tells this run from another. load throws Error for
  // a file that is damaged, or of a model of other sizes.
  void save(const std::string& path, std::int64_t stage, const std::string& run) const;
  void load(const std::string& path);

 private:
  struct Features;

  Features next_features(StepReport& report, std::vector<LossTerm::Backward>& losses);
  void encode_epoch(std::int64_t epoch, StepReport& report);
  void centre_features(const at::Tensor& pixels, const std::vector<std::string>& texts);
  void update_average();

  TrainedModel model_;
  StageInputs inputs_;
  PretrainOptions options_;
  std::int64_t step_ = 0;
  AdamW optimizer_;
  TrainedModel::Tensors averaged_, average_;  // tensors of the model, and running means of them
  std::vector<std::string> averaged_names_;
  WorkerPool pool_;
  BatchParts parts_;
  PartRunner runner_;
  std::vector<std::unique_ptr<LossTerm>> terms_;
  std::size_t main_term_ = 0;  // whose accuracy is told
  StageImages images_;
  at::Tensor cached_;               // features of the epoch's items, with reuse
  std::vector<bool> cached_known_;  // those that could be read
  std::int64_t cached_epoch_ = -1;
  bool epoch_has_images_ = false;
  std::string last_failure_;
};

// What a state says of itself: the `run` it was saved with, and the number of its stage. Throws
// Error.
struct SavedRun {
  std::string run;
  std::int64_t stage = 0;
};
SavedRun saved_run(const std::string& path);

}  // namespace openworld
