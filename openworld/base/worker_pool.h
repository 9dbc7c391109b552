#pragma once

// Threads that stay: for work that is dealt out again and again, where making threads each time,
// and whatever libraries set up for a new thread, would cost more than the work.

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
  // `threads` workers in all, the caller of run among them (0: default_threads()).
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
