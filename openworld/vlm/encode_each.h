#pragma once

// Image features that do not depend on the batch: each image goes through the tower by itself, on
// one thread, so that its bits are the same in any batch, on any number of threads. (Rounding in a
// matrix product depends on where a row stands among the others.) On another device than the CPU
// the batch is encoded at once: single images would leave it idle, and its rounding is its own.

#include <ATen/core/Tensor.h>

#include "openworld/base/worker_pool.h"
#include "openworld/vlm/vision_tower.h"

namespace openworld {

// As encode_images without gradients, the images side by side on the pool.
VisionFeatures encode_each(const VisionTower& tower, const at::Tensor& images, WorkerPool& pool,
                           const VisionOptions& options = {});

}  // namespace openworld
