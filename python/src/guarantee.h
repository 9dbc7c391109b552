#pragma once

// A threshold with a guarantee as a plain Python object.

#include <pybind11/pybind11.h>

#include "openworld/analysis/threshold.h"

namespace openworld::python {

pybind11::dict to_dict(const GuaranteedThreshold& found);

}  // namespace openworld::python
