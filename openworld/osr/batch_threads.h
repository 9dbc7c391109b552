#pragma once

// Work on parts of a batch, one thread each. Which samples are in a part depends on the batch
// alone, and inside a part everything runs on one thread, so that the bits of a training do not
// depend on the number of threads.

#include <cstddef>
#include <cstdint>
#include <functional>

#include "openworld/base/worker_pool.h"

namespace openworld {

class BatchThreads {
 public:
  // 0: default_threads().
  explicit BatchThreads(int threads);

  // work(first, count) for each part of n samples, without gradients. Parts are of `size` samples;
  // the last one may be smaller.
  void run(std::int64_t n, std::int64_t size,
           const std::function<void(std::int64_t first, std::int64_t count)>& work);

 private:
  WorkerPool pool_;
};

// Of convolutions: 64 samples are four parts. Smaller parts share their work more evenly, but
// oneDNN lays out the weights anew for each of them, which costs small images in the last layers
// most.
inline constexpr std::int64_t kPartSize = 16;

// How many parts there are.
std::int64_t part_count(std::int64_t n, std::int64_t size);

}  // namespace openworld
