#pragma once

// Dynamic distribution shift (OpenPL, scenario C): tuned on all classes of the source; tested on a
// mixture of its test images and those of another look. Names are the look's classes at every
// level; all of them were tuned on, so nothing is new.
//
// At level t the source keeps the share 1 - t of its pool and the look the share t of its own,
// floor(share n + 1/2) of n images, without regard to classes. The pool of the source is its test
// images of the look's classes. The paper's AUC on ImageNet-A and -R, whose pools differ in size
// from ImageNet's, follow from this to 0.003, and not from a mixture in which t is the share of the
// look: `mixture=share` gives that one, with as many images as the smaller pool at every level.

#include "openworld/scenarios/draws.h"
#include "openworld/scenarios/name_templates.h"
#include "openworld/scenarios/scenario.h"

namespace openworld {

class Shift : public ScenarioOptions {
 public:
  void declare(OptionList& list) override;
  ScenarioPlan plan(const ScenarioData& data, std::uint64_t seed) const override;

 private:
  std::string levels_ = kTimes;
  std::string mixture_ = "pools";
  NameTemplates templates_ = NameTemplates::kSource;
};

}  // namespace openworld
