#pragma once

// An overview of a dataset of a bundled world: a row of pictures for each class, beside its name.

#include "openworld/images/image.h"
#include "openworld/worlds/dataset.h"

namespace openworld {

struct SheetOptions {
  int rows = 10;     // classes, spread evenly over those there are
  int columns = 10;  // the first pictures of the split
};

// Pictures are twice as large as models see them. Rows and columns are clipped to what exists.
// REQUIRES: rows, columns >= 1; the dataset is of a bundled world (is_bundled_world). Throws Error
// where the pictures are damaged.
Image contact_sheet(const Dataset& dataset, const SheetOptions& options);

}  // namespace openworld
