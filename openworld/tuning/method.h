#pragma once

// A learner of the table with its options as a user or a run sets them.

#include <memory>
#include <string>

#include "openworld/learners/table.h"
#include "openworld/runs/run_spec.h"

namespace openworld {

struct Method {
  const LearnerRow* row;
  std::unique_ptr<LearnerOptions> options;
  OptionList list;  // views of the options

  // Throws Error for a name that is not in the table.
  explicit Method(const std::string& name);

  // The options that differ from the method's defaults.
  OptionValues changed() const;
};

// The method of a run. Throws Error for a method, an option or a value that there is not.
Method method_of(const RunSpec& spec, const std::string& function);

// What the learner of a run is made for.
TuningTask task_of(const RunSpec& spec, const TextModel& text_model);

}  // namespace openworld
