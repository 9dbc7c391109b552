#pragma once

// The options of pre-training, each declared once (pretrain_options.cc) with its range and help;
// the command line, files and messages have them from there.
//
// SourceOptions are of a source of images, PretrainOptions of a stage of the training; a run has
// one of each or several (pretrain_spec.h).

#include <cstdint>
#include <string>

#include "openworld/base/option_list.h"
#include "openworld/images/line_art.h"
#include "openworld/images/redraw.h"

namespace openworld {

enum class ImageAugmentation {
  kNone,    // CLIP's test transform
  kCrop,    // random resized crop and flip (transform.h)
  kRedraw,  // small changes of shape (redraw.h) and of lines (line_art.h), then the test transform
};

// How the images of a source are changed, in another way each time they are shown.
struct AugmentOptions {
  ImageAugmentation augment = ImageAugmentation::kCrop;
  RedrawRange redraw = {};
  LineArtRange lines = {};

  void declare(OptionList& list);
  // Those of redraw.h and of line_art.h, which `declare` includes.
  void declare_redraw(OptionList& list);
  void declare_lines(OptionList& list);
};

struct SourceOptions {
  std::string templates;   // captions for labelled data: a template, a file or a set; "": its own
  double long_tail = 1;    // the rarest class keeps 1 of this many images (long_tail.h)
  bool unnamed = false;    // images whose names are not told (unnamed.h)
  std::int64_t views = 1;  // of an image in one step, each changed in its own way
  double word_weight = 1;  // of its images in the loss of words
  AugmentOptions augmentation = {};

  void declare(OptionList& list);
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

// Weights of the losses whose sum a stage minimises; 0: left out.
struct LossWeights {
  double pairs = 1;      // images and captions find each other in the batch (contrastive.h)
  double naming = 0;     // images find their class in the list of all, for sources that have one
  double words = 0;      // images find their name and words among free vectors (word_loss.h)
  double agreement = 0;  // two views of an image find each other (agreement.h)
  double guesses = 0;    // images without names find those that the model gives them
  double texts = 0;      // texts find the vector of the name that they say

  // Whether the text tower is needed.
  bool reads_texts() const { return pairs > 0 || naming > 0 || texts > 0; }
};

struct PretrainOptions {
  std::int64_t epochs = 30;
  std::int64_t steps = 0;        // above 0: of the stage, instead of whole epochs
  std::int64_t batch = 128;      // pairs; an incomplete batch at the end of an epoch is dropped
  std::int64_t epoch_pairs = 0;  // shown in an epoch; 0: as many as there are
  // With a locked image tower: features of the images of an epoch are computed once and used so
  // often, with other captions.
  std::int64_t reuse = 1;
  std::int64_t extra_captions = 0;  // per batch, of other pairs: wrong answers without an image
  std::int64_t batch_texts = 192;   // per batch, of names, for the loss `texts`
  LossWeights weights = {};
  double temperature = 0.1;  // of the loss `agreement`: what cosines are divided by
  double confidence = 0.3;   // of the loss `guesses`: the largest share that a guess needs
  double balance = 0;        // of the loss `guesses`: how much frequent guesses count less
  double lr = 1e-3;          // peak of the learning rate
  double warmup = 1;         // epochs until the peak
  AdamWOptions adamw = {};
  ContrastiveOptions loss = {};
  // Whether both towers start with features of mean 0 over the first batch. With a random init all
  // images, and all captions, have nearly the same feature, and it takes epochs to separate them.
  bool centre = true;
  Tower locked = Tower::kNeither;  // its weights stay the same, bit for bit
  double average = 0;  // decay of a running mean of the weights, which is then the result; 0: none
  std::uint64_t seed = 1;
  // Parts of a batch that are computed in parallel, each on its own threads: small matrix products
  // do not fill several cores, whole towers do. The last bits of the result depend on it, and with
  // batch normalisation the images that are normalised together.
  std::int64_t shards = 4;
  int threads = 0;  // 0: all cores; the result does not depend on it

  // All but `seed`, which is any unsigned number, and `threads`.
  void declare(OptionList& list);
};

// Which names and words have a vector, and what an image is to find among them.
struct WordOptions {
  std::int64_t min_names = 12;  // images that a name needs
  std::int64_t min_words = 15;  // images that a word needs
  double name_share = 0.6;      // of a target; its words share the rest

  void declare(OptionList& list);
};

// "image" or "text", for options and messages; "" for neither.
const char* tower_name(Tower tower);

// Declares an option whose values are tower_name()s.
void declare_tower(OptionList& list, const char* name, Tower& tower, const char* help);

}  // namespace openworld
