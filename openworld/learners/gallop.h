#pragma once

// GalLoP (Lafon et al., "GalLoP: Learning Global and Local Prompts for Vision-Language Models",
// ECCV 2024): several contexts for the whole image and several for its patches. A local prompt
// gives a class the mean of its k largest cosines over the patches, with another k for each prompt;
// a global one is left out at random in training. The patches go through a linear map that is
// learned, which starts as the identity.
//
//   loss = mean over local prompts of CE(s top-k mean) + mean over the global prompts kept of CE

#include "openworld/learners/training_options.h"

namespace openworld {

struct GallopOptions : PromptOptions {
  std::int64_t global_prompts = 4;
  std::int64_t local_prompts = 4;
  std::int64_t patches = 5;
  std::int64_t patches_step = 5;
  double dropout = 0.75;
  std::string score = "msp";

  GallopOptions();
  void declare(OptionList& list) override;
  std::unique_ptr<Learner> make(const TuningTask& task) const override;
};

// The prompts that each of `images` keeps in step `step`: [images, kept], drawn with replacement,
// where kept = prompts - int(dropout prompts). All of them, in order, if that is all.
at::Tensor kept_prompts(std::int64_t images, std::int64_t prompts, double dropout,
                        std::uint64_t seed, std::int64_t step);

}  // namespace openworld
