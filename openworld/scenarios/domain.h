#pragma once

// Domain generalisation (Hua et al., "OpenworldAUC", ICML 2025, Tables 10 and 14): tuned on the
// base classes of the source, tested on other looks of it. Each look is a test set of its own: its
// base images against its new ones; no image of the source is shown.
//
// A class of a look is base if the source's class of its name is. A look may have only some of the
// classes: of ImageNet-A's 200, 101 are among the first 500 of ImageNet, of ImageNet-R's 134. Names
// are those of the look's classes. The detectors of the published code have columns for all
// training names, also for those that the look lacks: `columns=train`.

#include "openworld/scenarios/recognition.h"

namespace openworld {

class Domain : public ScenarioOptions {
 public:
  void declare(OptionList& list) override;
  ScenarioPlan plan(const ScenarioData& data, std::uint64_t seed) const override;

 private:
  BaseSplit split_;
  std::string columns_ = "view";
};

}  // namespace openworld
