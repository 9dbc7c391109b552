#pragma once

// TunedModel: the model of a finished run, opened from its folder without the training data.
//
//   TunedModel model = TunedModel::open("run");
//   for (const Answer& answer : model.predict(image_files({"photo.jpg"})).answers) { ... }

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "openworld/runs/answer.h"
#include "openworld/runs/model_spec.h"
#include "openworld/runs/run_spec.h"
#include "openworld/runs/threshold_file.h"
#include "openworld/tuning/observer.h"
#include "openworld/worlds/dataset.h"

namespace openworld {

struct PredictedImages {
  std::vector<Answer> answers;
  std::size_t skipped = 0;  // images that could not be read, named to the observer
};

class TunedModel {
 public:
  // `model` may say where the checkpoint and its vocabulary are now, and how to run it; an empty
  // path or vocabulary: where run.json says, also if the run was moved (run_paths.h). Throws Error
  // as [predict], also if the checkpoint is not the one that was tuned.
  static TunedModel open(const std::string& folder, const ModelSpec& model = {});
  TunedModel(TunedModel&&) noexcept;
  ~TunedModel();

  const RunSpec& spec() const;
  // What decides the side: r above the threshold where one is set, else the largest logit of all
  // names. Of images that are not base, those whose fit is not above the threshold for unknown ones
  // are unknown, where there is one.
  const std::optional<StoredThreshold>& threshold() const;

  // Throws Error if no image can be read.
  PredictedImages predict(const Dataset& images, const Observer& observer = {}) const;

 private:
  struct Parts;
  explicit TunedModel(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

// Image files, and those in folders and the folders in them, as a dataset without labels. Throws
// Error as [predict].
Dataset image_files(const std::vector<std::string>& paths);

}  // namespace openworld
