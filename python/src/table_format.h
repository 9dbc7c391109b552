#pragma once

// Tables in the formats of the command.

#include <pybind11/pybind11.h>

namespace openworld::python {

void bind_table_format(pybind11::module_& m);

}  // namespace openworld::python
