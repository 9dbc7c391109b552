#pragma once

// PromptSRC (Khattak et al., "Self-regulating Prompts: Foundational Model Adaptation without
// Forgetting", ICCV 2023): independent rows in both towers, held to the frozen model by its
// features and probabilities; the result is a Gaussian mean of the prompts over epochs.
//
//   loss = CE + text_weight mean|g - g'| + image_weight mean|f - f'|
//        + logits_weight mean over images and classes of KL(p' || p)
//
// where f', g' and p' are those of the frozen model, g' over many templates.

#include "openworld/learners/training_options.h"

namespace openworld {

struct PromptsrcOptions : PromptOptions {
  std::int64_t visual_tokens = 4;
  std::int64_t depth = 0;
  double text_weight = 25;
  double image_weight = 10;
  double logits_weight = 1;
  std::string teacher = "auto";
  double gpa_mean = 0;
  double gpa_std = 1;

  PromptsrcOptions();
  void declare(OptionList& list) override;
  std::unique_ptr<Learner> make(const TuningTask& task) const override;
};

// The weights of epochs 1, ..., n in the mean of prompts: Gaussian, with sum 1.
std::vector<double> gaussian_weights(std::int64_t epochs, double mean, double deviation);

}  // namespace openworld
