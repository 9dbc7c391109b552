#pragma once

// Prediction files as arguments of a command.

#include <string>
#include <string_view>

#include "openworld/predictions/predictions.h"
#include "openworld/report/short_names.h"

namespace CLI {
class App;
}

namespace openworld {

inline constexpr const char* kPredictionsHelp =
    "predictions: .npz, directory of .npy, or .csv with side, score, correct (or logits and "
    "label), or a run folder of `openworld tune`";

// Loads a file, or the predictions in a run folder. Throws Error; about run folders as [function].
Predictions load_argument(const std::string& argument, std::string_view function);

}  // namespace openworld
