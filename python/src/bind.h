#pragma once

// One function per binding file; module.cc calls them all.

#include <pybind11/pybind11.h>

namespace openworld::python {

void bind_options(pybind11::module_& m);
void bind_predictions(pybind11::module_& m);
void bind_table(pybind11::module_& m);
void bind_evaluate(pybind11::module_& m);
void bind_accumulator(pybind11::module_& m);
void bind_curve(pybind11::module_& m);
void bind_compare(pybind11::module_& m);
void bind_diagnosis(pybind11::module_& m);
void bind_sensitivity(pybind11::module_& m);
void bind_samplesize(pybind11::module_& m);
void bind_per_class(pybind11::module_& m);
void bind_threshold(pybind11::module_& m);
void bind_drc(pybind11::module_& m);
void bind_friedman(pybind11::module_& m);
void bind_seeds(pybind11::module_& m);
void bind_score(pybind11::module_& m);
void bind_openset(pybind11::module_& m);
void bind_detection(pybind11::module_& m);
void bind_requests(pybind11::module_& m);
void bind_runs(pybind11::module_& m);
void bind_report(pybind11::module_& m);

}  // namespace openworld::python
