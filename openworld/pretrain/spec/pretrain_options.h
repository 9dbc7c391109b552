#pragma once

// PretrainOptions: the options of pre-training, each declared once (pretrain_options.cc) with its
// range and help; the command line, files and messages have them from there.

#include <cstdint>

#include "openworld/base/option_list.h"
#include "openworld/images/redraw.h"

namespace openworld {

enum class ImageAugmentation {
  kNone,    // CLIP's test transform
  kCrop,    // random resized crop and flip (transform.h)
  kRedraw,  // small changes of shape (redraw.h), then the test transform
};

// The towers of a model, of which one may be locked: locked-image tuning (LiT, Zhai et al., 2022)
// trains a text tower on a finished image tower.
enum class Tower { kNeither, kImage, kText };

struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-6;
  double weight_decay = 0.1;
  double clip = 1;  // largest norm of all gradients together; 0: any
};

struct ContrastiveOptions {
  // Share of a target that is spread evenly over all pairs of the batch with the same concept; the
  // rest is the pair's own. 0 is CLIP's loss, for which a second cat is a wrong answer to "a cat".
  double shared = 0;

  // Share that is spread evenly over everything (label smoothing).
  double smoothing = 0;
};

struct PretrainOptions {
  std::int64_t epochs = 30;
  std::int64_t batch = 128;         // pairs; an incomplete batch at the end of an epoch is dropped
  std::int64_t extra_captions = 0;  // per batch, of other pairs: wrong answers without an image
  // Weight of the loss of naming each image out of the list of all concepts, added to the
  // contrastive loss; 0: none. For sources that have such a list.
  double naming = 0;
  double lr = 1e-3;   // peak of the learning rate
  double warmup = 1;  // epochs until the peak
  AdamWOptions adamw = {};
  ContrastiveOptions loss = {};
  // Whether both towers start with features of mean 0 over the first batch. With a random init all
  // images, and all captions, have nearly the same feature, and it takes epochs to separate them.
  bool centre = true;
  Tower locked = Tower::kNeither;  // its weights stay the same, bit for bit
  double average = 0;  // decay of a running mean of the weights, which is then the result; 0: none
  ImageAugmentation augment = ImageAugmentation::kCrop;
  RedrawRange redraw = {};
  std::uint64_t seed = 1;
  // Parts of a batch that are computed in parallel, each on its own threads: small matrix products
  // do not fill several cores, whole towers do. The last bits of the result depend on it.
  std::int64_t shards = 4;
  int threads = 0;  // 0: all cores; the result does not depend on it

  // All but `seed`, which is any unsigned number, and `threads`.
  void declare(OptionList& list);
  // Those of ImageAugmentation::kRedraw, which `declare` includes.
  void declare_redraw(OptionList& list);
};

// "image" or "text", for options and messages; "" for neither.
const char* tower_name(Tower tower);

// Declares an option whose values are tower_name()s.
void declare_tower(OptionList& list, const char* name, Tower& tower, const char* help);

}  // namespace openworld
