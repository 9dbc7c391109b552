#include "openworld/io/lease_keeper.h"

#include <pthread.h>

#include <csignal>

namespace openworld {

LeaseKeeper::LeaseKeeper(std::chrono::milliseconds every) : every_(every) {
  // Signals are for the thread that works.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { renew_until_stopped(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

LeaseKeeper::~LeaseKeeper() {
  release();
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopped_.notify_all();
  thread_.join();
}

void LeaseKeeper::keep(Lease lease) {
  const std::lock_guard lock(mutex_);
  lost_ = false;
  lease_.emplace(std::move(lease));
}

bool LeaseKeeper::still_held() const {
  const std::lock_guard lock(mutex_);
  return lease_ && lease_->still_held();
}

void LeaseKeeper::release() {
  const std::lock_guard lock(mutex_);
  lease_.reset();
}

void LeaseKeeper::renew_until_stopped() {
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, every_, [this] { return stop_; })) {
    if (lease_ && !lease_->renew()) lost_ = true;
  }
}

}  // namespace openworld
