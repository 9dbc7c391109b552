#pragma once

// TuningJob: tunes prompts on a few images of base classes and measures them in the open world. A
// request in, a run folder out for each of its seeds.
//
//   TuningRequest request{.method = "gmop"};
//   request.model.path = "pocket";
//   request.data.path = "doodles:animals";
//   request.runs = {{1, "run"}};
//   const std::vector<RunResult> results = run_tuning(request);
//
// A folder with an unfinished run of the same spec is resumed, to the bits of an unbroken run; a
// finished one is left as it is.

#include <vector>

#include "openworld/runs/run_result.h"
#include "openworld/runs/tuning_request.h"
#include "openworld/tuning/observer.h"

namespace openworld {

struct TuningObserver : Observer {
  // After each run, finished now or before.
  std::function<void(const RunResult&)> result = {};
};

// Everything that can be wrong is found before the first folder is made. Throws Error, also when
// asked to stop.
std::vector<RunResult> run_tuning(const TuningRequest& request,
                                  const TuningObserver& observer = {});

}  // namespace openworld
