#pragma once

// Base to new (Hua et al., "OpenworldAUC", ICML 2025, Table 2): the classes of a dataset in the
// order of their labels, the first half base and tuned on, the rest new; tested on the whole test
// split. The split is that of CoOp (Zhou et al., CVPR 2022): of C classes ceil(C / 2) are base.
// This is what `openworld tune` does without a scenario.

#include <string>
#include <string_view>

#include "openworld/scenarios/scenario.h"

namespace openworld {

// What the scenarios of the OpenworldAUC paper tune on.
struct BaseSplit {
  std::string base = "half";

  void declare(OptionList& list);

  // The first classes by label. Throws Error as [function] for a number that the source has not.
  TrainingClasses train(const ScenarioData& data, std::string_view function) const;
};

// Throws Error as [function] if no class is new.
void expect_two_sides(const ScenarioData& data, const TrainingClasses& train,
                      std::string_view function);

// The whole test split of the source: `base` classes are base, the rest new. Images without a class
// are unknown.
View base_to_new(const ScenarioData& data, std::size_t base, std::string level);

class Recognition : public ScenarioOptions {
 public:
  void declare(OptionList& list) override;
  ScenarioPlan plan(const ScenarioData& data, std::uint64_t seed) const override;

 private:
  BaseSplit split_;
};

}  // namespace openworld
