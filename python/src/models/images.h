#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "openworld/worlds/dataset.h"

namespace openworld::python {

// Paths and arrays [height, width, 3] of uint8, in the order of the list. Throws Error as
// [function].
Dataset to_images(const pybind11::list& images, const std::string& function);

}  // namespace openworld::python
