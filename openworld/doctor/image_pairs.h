#pragma once

// Pairs of images that are the same, sorted by what is wrong with that.

#include <cstdint>
#include <string>
#include <vector>

#include "openworld/doctor/finding.h"
#include "openworld/doctor/patient.h"

namespace openworld {

// An image of a dataset: what to call it, its label and its split.
struct PlacedImage {
  std::string name;
  std::int32_t label = -1;
  std::string split;
};

class ImagePairs {
 public:
  // `where` is the dataset, `same` how two images of a pair are related: "identical".
  ImagePairs(const Patient& patient, std::string where, std::string same)
      : patient_(patient), where_(std::move(where)), same_(std::move(same)) {}

  // Files the pair under the worst that it is: in two splits, of two sides, of two classes. Pairs
  // of one class and split are left out.
  void add(const PlacedImage& a, const PlacedImage& b);

  // One for each kind that has pairs.
  std::vector<Finding> findings() const;

 private:
  const Patient& patient_;
  std::string where_, same_;
  std::vector<std::string> splits_, sides_, classes_;
};

}  // namespace openworld
