#include "openworld/base/worker_pool.h"

#include <utility>

#include "openworld/base/threads.h"

namespace openworld {

WorkerPool::WorkerPool(int threads) {
  if (threads <= 0) threads = default_threads();
  for (int i = 1; i < threads; ++i) threads_.emplace_back([this] { serve(); });
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  started_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::take_items(std::unique_lock<std::mutex>& lock) {
  ++busy_;
  while (next_ < items_) {
    const std::size_t item = next_++;
    const auto* const work = work_;
    lock.unlock();
    std::exception_ptr error;
    try {
      (*work)(item);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    if (error == nullptr) continue;
    if (error_ == nullptr) error_ = error;
    next_ = items_;
  }
  if (--busy_ == 0) finished_.notify_all();
}

void WorkerPool::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    started_.wait(lock, [this] { return stop_ || next_ < items_; });
    if (stop_) return;
    take_items(lock);
  }
}

void WorkerPool::run(std::size_t n, const std::function<void(std::size_t)>& work) {
  std::unique_lock lock(mutex_);
  work_ = &work;
  next_ = 0;
  items_ = n;
  started_.notify_all();
  take_items(lock);
  finished_.wait(lock, [this] { return busy_ == 0; });
  work_ = nullptr;
  items_ = next_ = 0;
  if (error_ != nullptr) std::rethrow_exception(std::exchange(error_, nullptr));
}

}  // namespace openworld
