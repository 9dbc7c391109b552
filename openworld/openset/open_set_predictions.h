#pragma once

// The samples of an open-set test as a prediction file, which every command that takes predictions
// reads: true positives are base samples, open-set errors unknown ones, and r is one uncertainty.
//
// Besides the arrays of predictions.h it has `image`, the image that each row came from, and
// `images`, how many there were: with these a later test on the same images can be paired with it.

#include <string>
#include <vector>

#include "openworld/openset/image_ranking.h"
#include "openworld/openset/open_set.h"

namespace openworld {

// Writes the test with all queries, under measure number `measure`, atomically. Throws Error.
void save_open_set_predictions(const OpenSetScores& scores, std::size_t measure,
                               std::span<const std::int32_t> label,
                               std::span<const std::string> names, const std::string& path);

// What save_open_set_predictions wrote. Throws Error, also where the file is of other images:
// their number or a label differs.
ImageRanking load_open_set_predictions(const std::string& path,
                                       std::span<const std::int32_t> label);

}  // namespace openworld
