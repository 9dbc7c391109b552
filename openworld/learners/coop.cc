#include "openworld/learners/coop.h"

namespace openworld {

std::unique_ptr<Learner> CoopOptions::make(const TuningTask& task) const {
  return std::make_unique<ContextLearner>(task, *this);
}

}  // namespace openworld
