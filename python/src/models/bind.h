#pragma once

// One function per binding file; module.cc calls them all.

#include <pybind11/pybind11.h>

namespace openworld::python {

void bind_model(pybind11::module_& m);
void bind_jobs(pybind11::module_& m);
void bind_tuned_model(pybind11::module_& m);
void bind_osr(pybind11::module_& m);

}  // namespace openworld::python
