#pragma once

// Co-evolution of classes and distribution (OpenPL, scenario D): tuned on the source; tested on
// classes and images of which more and more come from another dataset, the target.
//
// Once per seed, n = min(C_source, C_target) classes of each are drawn, and of the images of those
// classes N = min(pool sizes) of each. At level t the first k = floor(t n + 1/2) of the target's
// classes are there, as new ones, and the first n - k of the source's; shown are the drawn images
// of those classes.
//
// A name that source and target share would be on both sides. By default such classes are neither
// tuned on nor tested as the source's, for any of the targets: new is then what was never tuned on.
// With `train=all` the source is tuned on as a whole, as the paper seems to do, and only the test
// of a target leaves its names out of the source.

#include "openworld/scenarios/draws.h"
#include "openworld/scenarios/name_templates.h"
#include "openworld/scenarios/scenario.h"

namespace openworld {

class CoEvolution : public ScenarioOptions {
 public:
  void declare(OptionList& list) override;
  ScenarioPlan plan(const ScenarioData& data, std::uint64_t seed) const override;

 private:
  std::string levels_ = kTimes;
  std::string train_ = "unshared";
  NameTemplates templates_ = NameTemplates::kSource;
};

}  // namespace openworld
