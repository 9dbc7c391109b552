#pragma once

// The data of a run: which samples are known and which are not, for training and for the test.

#include <memory>
#include <string>
#include <vector>

#include "openworld/osr/method.h"
#include "openworld/osr/samples.h"
#include "openworld/runs/osr_request.h"
#include "openworld/runs/run_spec.h"
#include "openworld/worlds/osr_split.h"

namespace openworld {

// How samples are shown to a network.
struct OsrView {
  bool images = true;  // images of 32 x 32, or features
  std::string data;    // the dataset, for AugmentKind::kAuto
  const OsrOptions* options = nullptr;
  int threads = 0;
};

struct OsrData {
  std::unique_ptr<OsrSamples> train;  // known classes alone
  std::unique_ptr<OsrSamples> test;   // known classes and unknown samples, in the dataset's order
  std::vector<std::string> classes;   // names of the known classes
  std::int64_t input = 0;             // channels of an image, or width of a feature
  OsrSplit split;
  // What run.json says of it.
  RunData data;
  std::string unknown_split, unknown_sha256;
};

// Throws Error, as [osr train], for data that cannot be opened, a split that does not fit, fewer
// than two known classes, and where no sample is unknown.
OsrData open_osr_data(const OsrTrainRequest& request, const OsrView& view);

// Samples of any dataset. With a split, classes that are not known are unknown; without, labels are
// taken as they are where the dataset has `classes` classes, and else every sample is unknown.
struct OsrAnySamples {
  std::unique_ptr<OsrSamples> samples;
  std::vector<std::string> names;  // of the classes, if the labels are those
  std::string sha256, split;
  std::vector<std::string> all_names;  // of the dataset
};
enum class OsrLabels { kAsTheyAre, kAllUnknown };
OsrAnySamples open_osr_samples(const DataSpec& data, const std::string& known,
                               const std::string& split, OsrLabels labels, std::int64_t classes,
                               const OsrView& view, const char* function);

}  // namespace openworld
