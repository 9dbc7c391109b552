#include "openworld/learners/coop.h"

namespace openworld {

std::unique_ptr<Learner> CoopOptions::make(const Setting& setting) const {
  return std::make_unique<ContextLearner>(setting, *this);
}

}  // namespace openworld
