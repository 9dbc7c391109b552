#pragma once

// Scores of many images, in pieces that fit the memory.

#include <functional>
#include <span>
#include <vector>

#include "openworld/tuning/tuning_run.h"

namespace openworld {

// Some rows of the test images, and the scores of their images in each view, on the CPU.
using TakeScores =
    std::function<void(std::span<const std::size_t> rows, std::vector<Scores> scores)>;

// How many images are scored at once.
std::size_t rows_at_once(ImageInput input);

// Gives the scores of these rows of the test images, piece by piece, in order. Throws Error if they
// hold NaN or infinity.
void score_rows(const ViewScorer& scorer, ImageInput input, const TestImages& test,
                std::span<const std::size_t> rows, std::span<const NameColumns> views,
                const TakeScores& take);

// Logits and r of all test images. Throws Error as score_rows does.
Scores score_images(const Scorer& scorer, ImageInput input, const TestImages& test);

// REQUIRES: contiguous floats on the CPU.
std::span<const float> floats_of(const at::Tensor& tensor);

}  // namespace openworld
