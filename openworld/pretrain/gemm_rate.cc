#include "openworld/pretrain/gemm_rate.h"

#include <ATen/ops/full.h>
#include <ATen/ops/mm.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "openworld/base/worker_pool.h"
#include "openworld/vlm/inner_threads.h"

namespace openworld {

double gemm_rate(int threads) {
  using Clock = std::chrono::steady_clock;
  constexpr std::int64_t kSide = 1024;
  constexpr int kRounds = 4;  // the first makes the threads and their buffers
  const BlasThreads blas(1);
  WorkerPool pool(threads);
  const auto count = static_cast<std::size_t>(threads);
  const at::Tensor a = at::full({kSide, kSide}, 0.5, at::kFloat);
  std::vector<at::Tensor> products(count);
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Clock::time_point start = Clock::now();
    pool.run(count, [&](std::size_t i) {
      const OpenMpThreads one(1);
      products[i] = at::mm(a, a);
    });
    const std::chrono::duration<double> seconds = Clock::now() - start;
    if (round == 0) continue;
    const double flops = 2.0 * kSide * kSide * kSide * static_cast<double>(threads);
    best = std::max(best, flops / seconds.count());
  }
  return best;
}

}  // namespace openworld
