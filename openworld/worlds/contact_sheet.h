#pragma once

// An overview of a dataset of Doodles: a row of pictures for each class, beside its name.

#include "openworld/images/image.h"
#include "openworld/worlds/doodle_spec.h"

namespace openworld {

struct SheetOptions {
  int rows = 10;     // classes, spread evenly over those there are
  int columns = 10;  // the first drawings of the split
};

// Pictures are twice as large as models see them. Rows and columns are clipped to what exists.
// REQUIRES: rows, columns >= 1. Throws Error where the drawings are damaged.
Image contact_sheet(const Doodles& doodles, const DoodleSpec& spec, const DoodleSplit& split,
                    const SheetOptions& options);

}  // namespace openworld
