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
// that loads the state of another goes on as that one would have: to the last bit, on the same
// machine and, if there are no more threads than shards, with any number of threads.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/base/worker_pool.h"
#include "openworld/images/image_loader.h"
#include "openworld/images/redraw.h"
#include "openworld/pretrain/adamw.h"
#include "openworld/pretrain/contrastive.h"
#include "openworld/text/tokenizer.h"
#include "openworld/vlm/clip.h"
#include "openworld/worlds/captions.h"

namespace openworld {

enum class ImageChange {
  kNone,    // CLIP's test transform
  kCrop,    // random resized crop and flip (transform.h)
  kRedraw,  // small changes of shape (redraw.h), then the test transform
};

// The towers of a model, of which one may be left as it is: locked-image tuning (LiT, Zhai et al.
// 2022) teaches a text tower what a finished image tower sees.
enum class Tower { kNeither, kImage, kText };

// The tower that a tensor of clip_tensors belongs to; neither has the temperature.
Tower tower_of_tensor(std::string_view name);

struct PretrainOptions {
  std::int64_t epochs = 30;
  std::int64_t batch = 128;  // pairs; what is left at the end of an epoch waits for another order
  std::int64_t extra_captions = 0;  // per batch, of other pairs: wrong answers without an image
  // Weight of naming each image out of the list of all concepts, beside the contrast of pairs; 0:
  // none. For sources that have such a list.
  double naming = 0;
  double lr = 1e-3;   // peak of the learning rate
  double warmup = 1;  // epochs until the peak
  AdamWOptions adamw = {};
  ContrastiveOptions loss = {};
  // Whether both towers start with features of mean 0 over the first batch. At random weights all
  // images, and all captions, have nearly the same feature: it takes epochs to come apart.
  bool centre = true;
  Tower locked = Tower::kNeither;  // its weights stay, to the last bit
  double average = 0;  // decay of a running mean of the weights, which is then the result; 0: none
  ImageChange change = ImageChange::kCrop;
  RedrawRange redraw = {};
  std::uint64_t seed = 1;
  // Parts of a batch that are computed side by side, each on its own threads: small products do not
  // fill several cores, whole towers do. The last bits of the result depend on it.
  int shards = 4;
  int threads = 0;  // 0: all cores
};

struct StepReport {
  double loss = 0;
  double accuracy = 0;  // of images that find their concept: in the list, or among the captions
  double gradient_norm = 0;
  double lr = 0;
  double factor = 0;                  // on cosines, after the step
  std::size_t images = 0;             // in the batch
  std::vector<std::string> failures;  // images that could not be read
};

// REQUIRES: pairs and tokenizer outlive it.
class Pretrainer {
 public:
  // Takes the weights of `clip` as its own. Throws Error if there are no pairs, and for options
  // that make no sense.
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
