#pragma once

// The images of a bundled world: drawn when asked for, encoded as PNG.

#include <string>

#include "openworld/images/image.h"
#include "openworld/io/origin.h"
#include "openworld/worlds/dataset.h"

namespace openworld {

class DrawnSource : public SampleSource {
 public:
  // `spec` is the name of the dataset: "doodles:animals".
  explicit DrawnSource(std::string spec) : spec_(std::move(spec)) {}

  // Safe from several threads. Throws Error.
  virtual Image draw(const Sample& sample) const = 0;

  Bytes read(const Sample& sample) const final;
  std::string name(const Sample& sample) const final;

 private:
  std::string spec_;
};

// Gives the classes the names of options.names, if it has some.
void rename_classes(Dataset& dataset, const Origin& origin, const DatasetOptions& options);

}  // namespace openworld
