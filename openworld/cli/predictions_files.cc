#include "openworld/cli/predictions_files.h"

#include "openworld/runs/run_folder.h"

namespace openworld {

Predictions load_argument(const std::string& argument, std::string_view function) {
  return load_predictions(predictions_path(argument, function));
}

}  // namespace openworld
