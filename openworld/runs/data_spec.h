#pragma once

// Which dataset to open: a path or a world's name, and how to read it.

#include <string>

#include "openworld/worlds/dataset.h"

namespace openworld {

struct DataSpec {
  std::string path;
  DatasetOptions options = {};

  Dataset open() const { return open_dataset(path, options); }
};

}  // namespace openworld
