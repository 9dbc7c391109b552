// openworld doctor --model, behind libtorch: features of images.

#include "openworld/cli/models/terminal.h"
#include "openworld/doctor/patient.h"
#include "openworld/tuning/loaded_model.h"

namespace openworld {

void doctor_features(const DoctorFeatures& request) {
  const Observer observer = terminal_observer();
  const LoadedModel model = load_model(request.model, "doctor", observer);
  FeatureList& list = *request.features;
  list.where = request.data->spec.path;
  for (const Dataset& split : request.data->splits) {
    const ImageFeatures features =
        encode_dataset(model, split, request.model, request.cache, observer);
    list.width = features.width;
    list.values.insert(list.values.end(), features.features.begin(), features.features.end());
    for (const std::size_t i : features.samples) {
      list.images.push_back(sample_name(split, i));
      list.labels.push_back(split.samples[i].label);
      list.splits.push_back(split.split);
    }
  }
}

}  // namespace openworld
