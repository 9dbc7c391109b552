#pragma once

// Which pairs of which sources each step of a stage shows.
//
// A step takes a fixed number of pairs of every source, in proportion to the weights. A source is
// gone through in passes, each in an order of its own. If all of its pairs have one weight a pass
// shows each of them once; pairs that do not fill a step at its end wait for the next. Else a pass
// of n pairs shows a pair w n / (sum of weights) times, rounded up or down at random (systematic
// sampling), and each time as another draw.
//
// With `rounds` above 1 the images of an epoch come round that often, each time in another order
// and as another draw of captions.
//
// All of it depends on (seed, step) alone.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "openworld/worlds/captions.h"

namespace openworld {

struct PlannedSource {
  std::size_t size = 0;
  std::vector<double> weights = {};  // of its pairs; none: all 1. 0: never shown
  double share = 1;                  // of the pairs of a step, relative to other sources
  std::int64_t views = 1;
};

struct PlanOptions {
  std::int64_t batch = 0;        // pairs of a step
  std::int64_t epoch_pairs = 0;  // 0: as many as the sources have
  std::int64_t rounds = 1;
  std::int64_t parts = 1;  // that a batch is cut into; each gets its share of every source
  std::uint64_t seed = 0;
};

// One image of a step.
struct PlannedImage {
  std::uint64_t draw = 0;          // PairName::epoch of the image
  std::uint64_t caption_draw = 0;  // and of the caption
  std::uint32_t index = 0;         // of the pair
  std::uint32_t place = 0;         // among the items of the epoch
  std::uint16_t source = 0;
  std::uint16_t view = 0;
};

class BatchPlan {
 public:
  // Throws Error for a batch too small to hold a pair of every source.
  BatchPlan(std::vector<PlannedSource> sources, const PlanOptions& options);

  std::int64_t steps_per_epoch() const { return round_steps_ * options_.rounds; }
  std::int64_t images_per_step() const { return images_; }
  const std::vector<std::int64_t>& pairs_per_step() const { return counts_; }  // by source

  // The images of all steps of an epoch, step by step.
  std::vector<PlannedImage> epoch(std::int64_t epoch) const;

  // The images of an epoch without rounds and further views, by source; `place` is the index here.
  std::vector<PlannedImage> items(std::int64_t epoch) const;

  // The seed of the images and captions of a source.
  std::uint64_t source_seed(std::size_t source) const;

 private:
  std::vector<PlannedImage> items_of(std::size_t source, std::int64_t first_step,
                                     std::int64_t steps) const;
  void shuffle_items(std::vector<PlannedImage>& items, std::int64_t epoch,
                     std::int64_t round) const;

  std::vector<PlannedSource> sources_;
  PlanOptions options_;
  std::vector<std::int64_t> counts_;
  std::int64_t images_ = 0;
  std::int64_t round_steps_ = 0;
};

// The order of a pass; each entry is the index of a pair and how often the pass had it before.
struct PassEntry {
  std::uint32_t index = 0;
  std::uint32_t repeat = 0;
};
std::vector<PassEntry> pass_order(const PlannedSource& source, std::uint64_t seed,
                                  std::uint64_t pass);

}  // namespace openworld
