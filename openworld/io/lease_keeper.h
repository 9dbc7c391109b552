#pragma once

// LeaseKeeper: renews a lease from a thread of its own while its owner computes.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "openworld/io/lease.h"

namespace openworld {

class LeaseKeeper {
 public:
  explicit LeaseKeeper(std::chrono::milliseconds every = kRenewEvery);
  ~LeaseKeeper();  // releases what it keeps
  LeaseKeeper(const LeaseKeeper&) = delete;
  LeaseKeeper& operator=(const LeaseKeeper&) = delete;

  // Keeps this lease from now on. REQUIRES: it keeps none.
  void keep(Lease lease);

  // Whether the lease was taken over by somebody, as of the last renewal.
  bool lost() const { return lost_; }

  // Looks at the file now.
  bool still_held() const;

  void release();

 private:
  void renew_until_stopped();

  const std::chrono::milliseconds every_;
  mutable std::mutex mutex_;  // guards lease_, stop_
  std::condition_variable stopped_;
  std::optional<Lease> lease_;
  bool stop_ = false;
  std::atomic<bool> lost_ = false;
  std::thread thread_;
};

}  // namespace openworld
