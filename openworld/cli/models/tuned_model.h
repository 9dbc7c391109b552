#pragma once

// A tuned model as run.json describes it: what `tune` writes and `predict` reads.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "openworld/cli/tune_flags.h"
#include "openworld/learners/learner.h"
#include "openworld/learners/table.h"
#include "openworld/worlds/dataset.h"

namespace openworld {

struct LoadedModel;

inline constexpr const char* kRunSchema = "openworld.run/1";

// Files of a run folder.
struct RunPaths {
  std::string run, log, state, prompts, predictions, result, threshold;

  explicit RunPaths(const std::string& folder);
};

// A method with its options as the flags set them.
struct ChosenMethod {
  const LearnerRow* row;
  std::unique_ptr<LearnerOptions> options;
  OptionList list;

  // Throws Error for a method, an option or a value that there is not.
  explicit ChosenMethod(const std::string& name);

  // The options that differ from the method's own.
  nlohmann::ordered_json changed() const;
};

// run.json: everything that the result depends on, but the number of threads.
nlohmann::ordered_json run_json(const TuneFlags& flags, const ChosenMethod& method,
                                const LoadedModel& model, const Dataset& train, const Dataset& test,
                                std::uint64_t seed);

// What a learner is made for, from run.json. Throws Error naming `path` if that is no run.
TuningTask task_of(const nlohmann::json& run, const TextModel& text_model, const std::string& path);

// The names of new classes, as prompts say them.
std::vector<std::string> new_names_of(const nlohmann::json& run);

}  // namespace openworld
