#pragma once

// Cross-dataset (Hua et al., "OpenworldAUC", ICML 2025, Table 13): tuned on the base classes of the
// source; tested on its base test images, and on a whole other dataset as the new ones.
//
// Classes of the target whose name is among the source's base names (comparable_name) are removed,
// with their images, as are those that the user lists: the paper does not publish its list. Names
// of the target are put in its own template, or in the source's. The source's new classes take no
// part.

#include "openworld/scenarios/name_templates.h"
#include "openworld/scenarios/recognition.h"

namespace openworld {

class CrossDataset : public ScenarioOptions {
 public:
  void declare(OptionList& list) override;
  ScenarioPlan plan(const ScenarioData& data, std::uint64_t seed) const override;

 private:
  BaseSplit split_;
  NameTemplates templates_ = NameTemplates::kOwn;
  std::string remove_;
};

}  // namespace openworld
