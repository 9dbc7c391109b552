#pragma once

// The images of a tuning job: a training and a test dataset of the same classes, and the shots of a
// seed.

#include <cstdint>
#include <span>
#include <vector>

#include "openworld/runs/tuning_request.h"
#include "openworld/worlds/few_shot.h"

namespace openworld {

struct TuningData {
  Dataset train, test;
  // Both are the same split: what is tuned on is then not tested on.
  bool same_images = false;
};

// Throws Error if a split is not there, if the two have different classes, or if there are fewer
// than two classes.
TuningData open_tuning_data(const TuningRequest& request);

// The training images of one seed, those of base classes, from all that the rule draws. Throws
// Error for a class with fewer than the shots asked for, unless that is allowed.
std::vector<std::size_t> draw_shots(const TuningRequest& request, const Dataset& train,
                                    std::size_t base, ShotRule rule, std::uint64_t seed);

// Throws Error if a split that is also tested on has no image left beside the shots.
void expect_images_left(const TuningData& data, const std::vector<std::size_t>& shots);

// The dataset with these of its samples, in this order.
Dataset some_samples(const Dataset& dataset, std::span<const std::size_t> samples);

// Which images a dataset has, in order: SHA-256 of paths and labels.
std::string list_sha256(const Dataset& dataset);

}  // namespace openworld
