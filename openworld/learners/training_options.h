#pragma once

// The options that every trained learner has: how long, how fast, by which optimiser.

#include "openworld/base/option_list.h"
#include "openworld/learners/learner.h"

namespace openworld {

struct TrainingOptions : LearnerOptions {
  std::int64_t epochs = 50;
  std::int64_t batch = 32;
  double lr = 0.002;
  std::string schedule = "dassl";
  std::string optimizer = "sgd";
  double momentum = 0.9;
  double weight_decay = 5e-4;
  double epsilon = 1e-8;
  bool drop_last = true;

  void declare(OptionList& list) override;

  // A stage with these options for all epochs.
  Stage stage(std::string name, std::vector<std::string> parameters) const;
};

// And those of learners with a context in the text tower.
struct PromptOptions : TrainingOptions {
  std::int64_t tokens = 16;
  std::string init = "";

  void declare(OptionList& list) override;

 protected:
  void declare_prompt(OptionList& list);
};

// The rows that a context starts from: the words of `init`, or noise of (seed, 0).
at::Tensor first_context(const TuningTask& task, const PromptOptions& options);

}  // namespace openworld
