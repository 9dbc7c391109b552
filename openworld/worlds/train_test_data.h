#pragma once

// The training and the test images of an experiment: two splits of a dataset, or two datasets of
// the same classes.

#include <string>
#include <vector>

#include "openworld/worlds/dataset.h"

namespace openworld {

struct TrainTestRequest {
  std::string path;
  DatasetOptions options = {};   // options.split is not used
  std::string train_split = "";  // empty: train
  std::string test_split = "";   // empty: test, else val
  std::string test_path = "";    // where test images are a dataset of their own
};

struct TrainTest {
  Dataset train, test;
  // Both are the same split: what is tuned on is then not tested on.
  bool same_images = false;
};

// Throws Error as [function] if a split is not there, if the two have different classes, or if
// there are fewer than two classes or no test images.
TrainTest open_train_test(const TrainTestRequest& request, const std::string& function);

// The first of these splits that the dataset has, or all of a dataset without splits. Throws the
// Error of the first if none can be opened.
Dataset open_first_split(const std::string& path, const DatasetOptions& options,
                         const std::vector<std::string>& splits);

}  // namespace openworld
