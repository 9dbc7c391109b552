#pragma once

// Emerging new classes (OpenPL, scenario A): half of the classes, drawn by the seed, are base and
// tuned on. At level t the names and the test images are those of all base classes and of as many
// new classes as t times the number of base classes. New classes stay once they are there.
//
// Of C classes n = ceil(C / 2) are base; at level t there are min(floor(t n + 1/2), C - n) new
// ones. All test images of the classes that are present are shown.

#include "openworld/scenarios/draws.h"
#include "openworld/scenarios/scenario.h"

namespace openworld {

// Base classes drawn by the seed: half of them, rounded up, in the order drawn.
TrainingClasses drawn_half(const ScenarioData& data, std::uint64_t seed);

// The view of the first `base` of the classes tuned on and the first `new_classes` of the others.
View class_view(const ScenarioData& data, const TrainingClasses& train, double t, std::size_t base,
                std::size_t new_classes);

class Emerging : public ScenarioOptions {
 public:
  void declare(OptionList& list) override;
  ScenarioPlan plan(const ScenarioData& data, std::uint64_t seed) const override;

 private:
  std::string levels_ = kTimes;
};

}  // namespace openworld
