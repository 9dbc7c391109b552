#pragma once

// The images of `openworld tune`: a training and a test dataset of the same classes, the shots of a
// seed, and their features.

#include <cstdint>
#include <span>
#include <vector>

#include "openworld/cli/models/run_model.h"
#include "openworld/cli/tune_flags.h"
#include "openworld/learners/learner.h"

namespace openworld {

struct TuningData {
  Dataset train, test;
  bool same_images = false;  // both are the same split: what is tuned on is then not tested on
};

// Throws Error if a split is not there, if the two have different classes, or if there are fewer
// than two.
TuningData open_tuning_data(const TuneFlags& flags);

// The training images of one seed, those of base classes, from all that the rule draws. Throws
// Error for a class with fewer than --shots, unless that is allowed.
std::vector<std::size_t> draw_shots(const TuneFlags& flags, const Dataset& train, std::int64_t base,
                                    ShotRule rule, std::uint64_t seed);

// The images of `samples` as a learner is tuned on them. Throws Error for one that cannot be read.
Episode make_episode(const TuneFlags& flags, const LoadedModel& model, const Dataset& train,
                     const std::vector<std::size_t>& samples, bool local, std::uint64_t seed);

// The dataset with these of its samples, in this order.
Dataset some_samples(const Dataset& dataset, std::span<const std::size_t> samples);

// Normalised features [n, embed] as a tensor of its own.
at::Tensor normalized_features(const ImageFeatures& features);

}  // namespace openworld
