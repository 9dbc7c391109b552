#pragma once

// The names of a scenario's views as learners encode them: once, whatever the views.

#include <string>
#include <vector>

#include "openworld/learners/learner.h"
#include "openworld/scenarios/scenario.h"

namespace openworld {

// Names and sentences of one test dataset.
struct TestNames {
  std::vector<std::string> names;  // of every class, as prompts say them
  Sentences sentences;
};

struct ViewNames {
  std::vector<NameList> lists;
  std::vector<NameColumns> columns;  // of each view
};

// A list holds all names that a dataset has beyond the base names, in one template, whether or not
// a view has them: what is encoded does not depend on levels. `tests` are those of the datasets of
// the plan; the base names stand in the sentences of the first. `source_is_new`: classes of the
// source may be new, as in all scenarios without targets.
ViewNames view_names(const ScenarioPlan& plan, const std::vector<TestNames>& tests,
                     bool source_is_new);

}  // namespace openworld
