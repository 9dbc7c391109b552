#include "openworld/base/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>

namespace openworld {
namespace {

TEST(WorkerPool, DoesEveryItemOnceInEveryRun) {
  for (const int threads : {1, 2, 5}) {
    WorkerPool pool(threads);
    for (std::size_t n = 0; n < 60; ++n) {
      std::vector<std::atomic<int>> done(n);
      pool.run(n, [&](std::size_t i) { ++done[i]; });
      for (const auto& count : done) EXPECT_EQ(count, 1);
    }
  }
}

TEST(WorkerPool, KeepsItsThreads) {
  WorkerPool pool(3);
  std::mutex mutex;
  std::set<std::thread::id> seen;
  for (int round = 0; round < 50; ++round) {
    pool.run(12, [&](std::size_t) {
      const std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    });
  }
  EXPECT_LE(seen.size(), 3u);
}

TEST(WorkerPool, RethrowsAndGoesOn) {
  WorkerPool pool(4);
  for (int round = 0; round < 20; ++round) {
    const auto fail_at_7 = [](std::size_t i) {
      if (i == 7) throw std::runtime_error("seven");
    };
    EXPECT_THROW(pool.run(20, fail_at_7), std::runtime_error);
    std::atomic<int> done = 0;
    pool.run(20, [&](std::size_t) { ++done; });
    EXPECT_EQ(done, 20);
  }
}

}  // namespace
}  // namespace openworld
