#pragma once

// Pictures of the samples that predictions are of.

#include <string>
#include <vector>

#include "openworld/predictions/predictions.h"
#include "openworld/worlds/dataset.h"

namespace openworld {

// Larger ones are left out, which limits the size of the page.
inline constexpr std::size_t kLargestPicture = 512 * 1024;

class SamplePictures {
 public:
  // Throws Error unless the rows of the predictions are samples of the dataset with the same
  // labels: a picture beside the wrong name would be worse than none.
  SamplePictures(Dataset dataset, const Predictions& predictions);

  const Dataset& dataset() const { return dataset_; }

  // A data: URI; "" if the image of the row is missing, too large or not supported by
  // browsers.
  std::string picture(std::size_t row) const;

 private:
  Dataset dataset_;
  std::vector<std::size_t> sample_;  // in the dataset, by row
};

}  // namespace openworld
