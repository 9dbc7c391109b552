#pragma once

// Varying ratio (OpenPL, scenario B): base classes are drawn and tuned on as in `emerging`, and the
// test has as many classes as there are base classes; at level t the share t of them is new. Base
// classes that left do not return, and new ones stay. Level 0 is that of `emerging`.
//
// Of n base and m new classes floor(t n + 1/2) base ones have left, and as many new ones are there,
// but at most m: with fewer new than base classes the last levels have fewer classes.

#include "openworld/scenarios/emerging.h"

namespace openworld {

class VaryingRatio : public ScenarioOptions {
 public:
  void declare(OptionList& list) override;
  ScenarioPlan plan(const ScenarioData& data, std::uint64_t seed) const override;

 private:
  std::string levels_ = kTimes;
};

}  // namespace openworld
