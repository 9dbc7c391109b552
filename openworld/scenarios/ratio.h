#pragma once

// The ratio sweep (Hua et al., "OpenworldAUC", ICML 2025, Tables 11 and 12): recognition with a
// test set of other ratios of new to base images. A level is a multiple of the natural ratio: 1 is
// the test set as it is, above 1 every base class is thinned to 1 / level, below 1 every new class
// to the level. In the printed tables BaseAcc is constant up to 1 and NewAcc from 1 on.

#include "openworld/scenarios/recognition.h"
#include "openworld/scenarios/thinning.h"

namespace openworld {

class Ratio : public ScenarioOptions {
 public:
  void declare(OptionList& list) override;
  ScenarioPlan plan(const ScenarioData& data, std::uint64_t seed) const override;

 private:
  BaseSplit split_;
  std::string levels_ = "10,5,3,2,1,0.7,0.5,0.3,0.2,0.1";
  ThinningOptions thinning_;
};

}  // namespace openworld
