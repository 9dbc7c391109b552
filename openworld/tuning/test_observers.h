#pragma once

#include <atomic>
#include <memory>

#include "openworld/tuning/tuning_job.h"

namespace openworld::testing {

// Stops a job after every step of training, but not before, while images are encoded.
inline TuningObserver stop_after_every_step() {
  const auto stepped = std::make_shared<std::atomic<bool>>(false);
  TuningObserver observer;
  observer.step = [stepped](const TrainingProgress&) { *stepped = true; };
  observer.stop = [stepped] { return stepped->exchange(false); };
  return observer;
}

}  // namespace openworld::testing
