#pragma once

// Tunes a learner, step by step.
//
//   Trainer trainer(*learner, episode, seed);
//   while (!trainer.done()) {
//     const TrainStep step = trainer.run_step();
//     if (step.ends_epoch) trainer.save("state.safetensors", run);
//   }
//
// The order of images and the view of each depend on (seed, stage, epoch) alone, so that a trainer
// that loads the state of another continues as that one would have: to the last bit, on the same
// machine, with any number of threads. Where the episode has pixels, the batches after the one in
// use are decoded meanwhile.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "openworld/learners/learner.h"
#include "openworld/vlm/pixel_source.h"

namespace openworld {

struct TrainStep {
  std::size_t stage = 0;
  std::int64_t epoch = 0;  // of the stage, from 0
  double loss = 0;
  double lr = 0;
  bool ends_epoch = false;
  double mean_loss = 0;  // of the epoch so far
};

// REQUIRES: learner and episode outlive it.
class Trainer {
 public:
  // Throws Error if the episode has no images, or pixels or lengths of another number of them.
  Trainer(Learner& learner, const Episode& episode, std::uint64_t seed);

  bool done() const { return stage_ == stages_.size(); }
  const std::vector<Stage>& stages() const { return stages_; }

  // Of all stages: what there is, and what is done.
  std::int64_t steps() const;
  std::int64_t step() const { return step_; }
  std::int64_t epochs() const;
  std::int64_t epoch() const;

  // The next step. Throws Error when the loss is no longer finite, and for an image that cannot be
  // read. REQUIRES: !done().
  TrainStep run_step();

  // Everything that the next step depends on, in one file that is whole or not there; `run` is any
  // text that tells this run from another. load throws Error for a file that is damaged, or of
  // prompts of other sizes.
  void save(const std::string& path, const std::string& run) const;
  void load(const std::string& path);

 private:
  std::int64_t steps_per_epoch(const Stage& stage) const;
  void start_epoch();
  void start_pixels();
  std::optional<std::uint64_t> view_of(std::int64_t row) const;
  Batch batch_of(const std::vector<std::int64_t>& rows);
  void start_stage();
  bool is_place(const std::vector<std::int64_t>& place) const;

  Learner& learner_;
  const Episode& episode_;
  std::uint64_t seed_;
  std::vector<Stage> stages_;
  std::int64_t images_ = 0;

  std::size_t stage_ = 0;
  std::int64_t epoch_ = 0;             // of the stage
  std::int64_t epoch_step_ = 0;        // of the epoch
  std::int64_t stage_step_ = 0;        // of the stage
  std::int64_t step_ = 0;              // of all
  double loss_sum_ = 0;                // of the epoch
  std::vector<std::uint32_t> order_;   // of the images in this epoch; empty: not known yet
  std::optional<PixelStream> pixels_;  // of this epoch, from step pixels_step_ of it on
  std::int64_t pixels_step_ = 0;
  std::unique_ptr<Optimizer> optimizer_;
};

// The `run` that a state was saved with. Throws Error.
std::string saved_tuning(const std::string& path);

}  // namespace openworld
