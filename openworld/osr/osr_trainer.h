#pragma once

// Trains a model, step by step.
//
//   OsrTrainer trainer(model, samples, {.seed = 1});
//   while (!trainer.done()) {
//     const OsrStep step = trainer.run_step();
//     if (step.ends_epoch) trainer.save("state.safetensors", run);
//   }
//
// Order, augmentation, dropout, mixtures and noise depend on (seed, epoch, step) alone, so that a
// trainer that loads the state of another continues as that one would have: to the last bit, on the
// same machine, with any number of threads. Batches after the one in use are augmented meanwhile.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "openworld/osr/batch_stream.h"
#include "openworld/osr/batch_threads.h"
#include "openworld/osr/gan.h"
#include "openworld/osr/osr_model.h"

namespace openworld {

struct OsrStep {
  std::int64_t epoch = 0;  // from 0
  double loss = 0;
  double lr = 0;
  std::int64_t images = 0;
  double flops = 0;
  bool ends_epoch = false;
  double mean_loss = 0;  // of the epoch so far
};

struct OsrTrainerSettings {
  std::uint64_t seed = 1;
  int threads = 0;           // 0: all cores
  int prefetch_threads = 1;  // that augment
};

// REQUIRES: model and samples outlive it.
class OsrTrainer {
 public:
  // Throws Error, as [osr], if there are fewer than two samples.
  OsrTrainer(const OsrModel& model, const OsrSamples& samples, const OsrTrainerSettings& settings);
  ~OsrTrainer();

  std::int64_t epochs() const { return model_.options().epochs; }
  std::int64_t epoch() const { return epoch_; }
  std::int64_t steps_per_epoch() const;
  std::int64_t steps() const { return epochs() * steps_per_epoch(); }
  std::int64_t step() const { return step_; }
  bool done() const { return epoch_ == epochs(); }

  // The next step. Throws Error when the loss is no longer finite. REQUIRES: !done().
  OsrStep run_step();

  // Everything that the next step depends on, in one file that is whole or not there; `run` is any
  // text that tells this run from another. load throws Error for a file that is damaged, or of
  // another training.
  void save(const std::string& path, const std::string& run) const;
  void load(const std::string& path);

 private:
  struct Adversary;

  // Passes over the samples in an epoch; the first of two is that with generated images.
  std::int64_t passes() const { return adversary_ ? 2 : 1; }
  std::int64_t steps_per_pass() const;
  void start_pass(std::int64_t pass, std::int64_t first_step);
  double train_batch(const SampleBatch& batch);
  double train_generated(const SampleBatch& batch);
  double classifier_backward(const SampleBatch& batch);
  TensorGroups groups() const;

  const OsrModel& model_;
  const OsrSamples& samples_;
  OsrTrainerSettings settings_;
  BatchThreads threads_;
  NamedTensors parameters_;
  std::unique_ptr<Optimizer> optimizer_;
  std::unique_ptr<Adversary> adversary_;  // of methods that generate images
  std::unique_ptr<BatchStream> stream_;   // of the pass, from its next step on

  std::int64_t epoch_ = 0;
  std::int64_t epoch_step_ = 0;
  std::int64_t step_ = 0;
  double loss_sum_ = 0;  // of the epoch
};

// The `run` that a state was saved with. Throws Error.
std::string saved_osr_run(const std::string& path);

}  // namespace openworld
