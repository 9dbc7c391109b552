#pragma once

// Datasets of features that were computed elsewhere, without the images: what methods that take
// features alone need.
//
//   features [N, D], label [N] (indices, or names), names [K], split [N] (at choice)
//
// in any file that feature_reader.h reads. Labels -1 and "unknown" are of no class.

#include <cstddef>
#include <span>
#include <string>

#include "openworld/io/npy_values.h"
#include "openworld/worlds/dataset.h"

namespace openworld {

// Sample::place is the row. Reading an image is an Error that says that there is none.
class FeatureSource : public SampleSource {
 public:
  FeatureSource(Matrix features, Origin origin);

  Bytes read(const Sample& sample) const override;
  std::string name(const Sample& sample) const override;

  std::size_t width() const { return features_.columns; }
  const Origin& origin() const { return origin_; }

  // The feature of a sample. Throws Error if it is not finite or zero.
  // REQUIRES: to.size() == width().
  void feature(const Sample& sample, std::span<float> to) const;

 private:
  Matrix features_;
  Origin origin_;
};

// The features of a dataset that has them instead of images; else nullptr.
const FeatureSource* feature_source(const Dataset& dataset);

}  // namespace openworld
