#pragma once

// Imbalance (Hua et al., "OpenworldAUC", ICML 2025, Table 3): recognition with one side of the test
// set thinned to a fifth. Forward (Fwd) thins every new class, backward (Bwd) every base class.
// These are the ratios 0.2 and 5 of `ratio`, with the same images.

#include "openworld/scenarios/recognition.h"
#include "openworld/scenarios/thinning.h"

namespace openworld {

class Imbalance : public ScenarioOptions {
 public:
  void declare(OptionList& list) override;
  ScenarioPlan plan(const ScenarioData& data, std::uint64_t seed) const override;

 private:
  BaseSplit split_;
  double factor_ = 0.2;
  ThinningOptions thinning_;
};

}  // namespace openworld
