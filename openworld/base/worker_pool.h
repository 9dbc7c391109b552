#pragma once

// A pool of persistent threads, for loops that run many times: creating threads for each loop, and
// the state that libraries set up for each new thread, would cost more than the work.

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace openworld {

class WorkerPool {
 public:
  // `threads` workers, including the caller of run (0: default_threads()).
  explicit WorkerPool(int threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // As parallel_for. One call at a time.
  void run(std::size_t n, const std::function<void(std::size_t)>& work);

 private:
  void serve();
  void take_items(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;  // guards all below
  std::condition_variable started_, finished_;
  const std::function<void(std::size_t)>* work_ = nullptr;  // null between runs
  std::size_t next_ = 0, items_ = 0, busy_ = 0;
  std::exception_ptr error_;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace openworld
