#pragma once

// What `openworld study` needs of models: who computes cells, and what identifies a plan's models
// and scenarios. The program's own is the default; tests give another.

#include <functional>
#include <memory>

#include "openworld/cli/command.h"
#include "openworld/studies/cell_runner.h"
#include "openworld/studies/expand.h"

namespace openworld {

struct StudyBackend {
  std::function<std::unique_ptr<CellRunner>()> make_runner;
  std::function<std::unique_ptr<PlanResolver>()> make_resolver;
};

// The library of models, and checkpoints by their hashes.
StudyBackend model_backend();

std::unique_ptr<Command> make_study_command(StudyBackend backend);

}  // namespace openworld
