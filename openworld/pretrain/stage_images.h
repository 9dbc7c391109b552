#pragma once

// The images of a stage, step by step: drawn by its plan, decoded on all cores ahead of the
// training, changed as their sources say, and normalised.
//
// An image is a function of (seed, pass, index, view); batches do not depend on threads.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "openworld/images/image_loader.h"
#include "openworld/images/preprocessing.h"
#include "openworld/pretrain/batch_plan.h"
#include "openworld/pretrain/loss_term.h"
#include "openworld/pretrain/stage_source.h"

namespace openworld {

// Images in the order of the plan, without those that could not be read.
struct LoadedImages {
  std::vector<PlannedImage> images;
  at::Tensor pixels;  // [n, 3, size, size] on the CPU
  std::vector<std::string> failures;
};

class StageImages {
 public:
  // Pairs that no loss of `options` could learn from are not shown; `words` may be null. Throws
  // Error if a source has no pair to show, or all of them together fewer than 2.
  StageImages(std::span<const StageSource> sources, const Preprocessing& preprocessing,
              const PretrainOptions& options, const WordTable* words);

  const BatchPlan& plan() const { return plan_; }

  // The images that a step shows, before any is read.
  std::span<const PlannedImage> planned(std::int64_t epoch, std::int64_t step);

  // The images of step `step` of an epoch. Steps are taken in order; another one starts anew there.
  LoadedImages step(std::int64_t epoch, std::int64_t step);

  // All items of an epoch, in groups of `batch`. Calls use(group) in order.
  void for_each_item(std::int64_t epoch, std::int64_t batch,
                     const std::function<void(LoadedImages)>& use) const;

  // Which pair and which draw of its captions an image of the plan stands for.
  ShownImage shown(const PlannedImage& image) const;

  void forget();  // what was planned and read ahead

 private:
  using Planned = std::shared_ptr<const std::vector<PlannedImage>>;

  // Of the images from `first` on.
  std::unique_ptr<ImageLoader> load(const Planned& images, std::size_t first,
                                    std::int64_t batch) const;
  LoadedImages taken(ImageBatch batch, std::span<const PlannedImage> images) const;
  PairName pair_name(const PlannedImage& image) const;
  void transform(const Image& image, const PlannedImage& planned, std::span<float> chw) const;

  std::span<const StageSource> sources_;
  Preprocessing preprocessing_;
  PretrainOptions options_;
  BatchPlan plan_;
  Planned epoch_plan_;
  std::int64_t epoch_ = -1;              // that epoch_plan_ is of
  std::int64_t first_ = -1, next_ = -1;  // steps that the loader began with and gives next
  std::unique_ptr<ImageLoader> loader_;
};

}  // namespace openworld
