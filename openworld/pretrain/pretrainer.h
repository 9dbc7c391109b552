#pragma once

// Contrastive pre-training of a CLIP model on images with captions, step by step.
//
//   Pretrainer trainer(init_clip(config, seed), *pairs, tokenizer, options);
//   while (trainer.step() < trainer.steps()) {
//     const StepReport report = trainer.run_step();
//     ...
//     trainer.save("state.safetensors");
//   }
//   save_clip(trainer.result(), vocabulary, "model");
//
// Order, captions, renderings and augmentations depend on (seed, epoch, index) alone, so a trainer
// that loads the state of another resumes bit for bit: on the same machine and, if there are no
// more threads than shards, with any number of threads.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/base/worker_pool.h"
#include "openworld/images/image_loader.h"
#include "openworld/pretrain/adamw.h"
#include "openworld/pretrain/contrastive.h"
#include "openworld/pretrain/spec/pretrain_options.h"
#include "openworld/text/tokenizer.h"
#include "openworld/vlm/clip.h"
#include "openworld/worlds/captions.h"

namespace openworld {

// The tower that a tensor of clip_tensors belongs to; the logit scale belongs to neither.
Tower tower_of_tensor(std::string_view name);

struct StepReport {
  double loss = 0;
  double accuracy = 0;  // of images that find their concept: in the list, or among the captions
  double gradient_norm = 0;
  double lr = 0;
  double logit_scale = 0;             // after the step
  std::size_t images = 0;             // in the batch
  std::vector<std::string> failures;  // images that could not be read
};

// REQUIRES: pairs and tokenizer outlive it.
class Pretrainer {
 public:
  // Takes the weights of `clip` as its own. Throws Error if there are no pairs, and for options
  // out of range.
  Pretrainer(Clip clip, const CaptionSource& pairs, const Tokenizer& tokenizer,
             const PretrainOptions& options);
  ~Pretrainer();

  std::int64_t steps() const { return epochs_steps_ * options_.epochs; }
  std::int64_t steps_per_epoch() const { return epochs_steps_; }
  std::int64_t step() const { return step_; }  // that are done

  // The next step. Throws Error when the loss is no longer finite, or no image of an epoch could be
  // read. REQUIRES: step() < steps().
  StepReport run_step();

  // The model so far, or the running mean of it; a copy without gradients.
  Clip result() const;

  // Everything that the next step depends on, in one file that is whole or not there; `run` is any
  // text that tells this run from another. load throws Error for a file that is damaged, or of a
  // model of other sizes.
  void save(const std::string& path, const std::string& run) const;
  void load(const std::string& path);

 private:
  struct Batch;
  struct Texts;
  struct Shard;

  void start_epoch();
  Batch next_batch();
  Texts texts_of(const Batch& batch, std::uint64_t epoch) const;
  at::Tensor pixels_of(const Batch& batch) const;
  void centre_features(const Batch& batch, const Texts& texts);
  ContrastiveLoss backward(const Batch& batch, const Texts& texts);
  void for_each_shard(const std::function<void(Shard&)>& work);
  void update_average();

  Clip clip_;
  const CaptionSource& pairs_;
  const Tokenizer& tokenizer_;
  PretrainOptions options_;
  std::int64_t batch_ = 0, epochs_steps_ = 0, step_ = 0;
  AdamW optimizer_;
  AdamW::Tensors average_;
  std::vector<std::string> trained_names_;  // of the tensors that are not locked
  std::vector<std::unique_ptr<Shard>> shards_;
  WorkerPool pool_;
  std::vector<std::uint32_t> order_;     // of the pairs in this epoch
  std::unique_ptr<ImageLoader> loader_;  // of this epoch, from its first step on
  std::int64_t loader_start_ = 0;        // step of the epoch at which it began
  bool epoch_has_images_ = false;
};

// The `run` that a state was saved with. Throws Error.
std::string saved_run(const std::string& path);

}  // namespace openworld
