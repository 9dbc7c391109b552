#pragma once

// Prediction files as arguments of a command.

#include <string>
#include <vector>

#include "openworld/io/predictions.h"

namespace CLI {
class App;
}

namespace openworld {

inline constexpr const char* kPredictionsHelp =
    "predictions: .npz, directory of .npy, or .csv with side, score, correct (or logits and label)";

// Short names for tables: the file name without its ending, or the whole path where two would be
// the same.
std::vector<std::string> short_names(const std::vector<std::string>& paths);

}  // namespace openworld
