#include "openworld/osr/batch_threads.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "openworld/vlm/inner_threads.h"

namespace openworld {

std::int64_t part_count(std::int64_t n, std::int64_t size) {
  return (n + size - 1) / size;
}

BatchThreads::BatchThreads(int threads) : pool_(threads) {}

void BatchThreads::run(std::int64_t n, std::int64_t size,
                       const std::function<void(std::int64_t first, std::int64_t count)>& work) {
  pool_.run(static_cast<std::size_t>(part_count(n, size)), [&](std::size_t part) {
    const OpenMpThreads one(1);
    const at::NoGradGuard no_grad;
    const std::int64_t first = static_cast<std::int64_t>(part) * size;
    work(first, std::min(size, n - first));
  });
}

}  // namespace openworld
