#pragma once

// A method of open-set training: options with the published values, and a head. One pair of files
// and one row in table.cc each.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "openworld/base/option_list.h"
#include "openworld/learners/common/optimizer.h"
#include "openworld/osr/head.h"

namespace openworld {

enum class LrSchedule {
  kConstant,
  kSteps,     // x 0.1 after 30 %, 60 % and 90 % of the epochs: ARPL's 30, 60, 90 of 100
  kRestarts,  // cosine with warm restarts down to lr / 1000, as Vaze et al. step it
};

// The learning rate of epoch `epoch` (from 0) of `epochs`. kRestarts has `restarts` of them; its
// scheduler is stepped with the number of the epoch that has ended, so that the first two epochs
// have the same rate.
double osr_lr(LrSchedule schedule, double lr, std::int64_t epoch, std::int64_t epochs,
              std::int64_t restarts);

// How images are changed before they are shown.
enum class AugmentKind {
  kAuto,  // kCrop, but kNone for mnist and fashion-mnist
  kNone,
  kCrop,  // crop with 4 pixels of padding, and flip
  kRand,  // RandAugment, then the same
};

enum class PixelScale {
  kPlain,  // value / 255
  kCifar,  // and CIFAR's mean and std, for every dataset
};

// The score of a sample is the largest of its logits, or of their softmax.
enum class OsrScore { kSoftmax, kLogit };

struct OsrOptions {
  std::int64_t epochs = 100;
  std::int64_t batch = 64;
  double lr = 0.1;
  LrSchedule schedule = LrSchedule::kSteps;
  std::int64_t restarts = 2;
  std::string optimizer = "sgd";
  double momentum = 0.9;
  double weight_decay = 1e-4;

  AugmentKind augment = AugmentKind::kAuto;
  std::int64_t rand_n = 1;
  double rand_m = 6;
  PixelScale pixels = PixelScale::kPlain;

  double temperature = 1;
  double smoothing = 0;
  OsrScore score = OsrScore::kSoftmax;

  virtual ~OsrOptions() = default;

  // Those of the method first.
  virtual void declare(OptionList& list);

  // A head with first values that depend on (seed) alone.
  virtual std::unique_ptr<OsrHead> make(const HeadShape& shape, std::uint64_t seed) const = 0;

  // Whether images that confuse the network are generated while it is trained (gan.h).
  virtual bool generates() const { return false; }
  virtual double generator_lr() const { return 0; }

  OptimizerOptions optimizer_options() const;

  // What may keep a loss finite, for messages: "train with a lower learning rate, such as lr=0.01,
  // or larger batches".
  virtual std::string against_divergence() const;

 protected:
  // The recipe of a strong closed-set classifier: RandAugment, cosine with restarts, largest logit.
  void use_strong_recipe();
};

struct OsrMethodRow {
  std::string_view name;
  std::string_view title;
  std::string_view description;  // one line, no full stop
  std::string_view citation;
  std::unique_ptr<OsrOptions> (*options)();
};

// The scores [n, classes] of logits.
at::Tensor osr_scores(const at::Tensor& logits, OsrScore score);

}  // namespace openworld
