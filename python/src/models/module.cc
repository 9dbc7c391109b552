// openworld._models: what needs libtorch. The package imports it at the first call that does.

#include <pybind11/pybind11.h>

#include <nlohmann/json.hpp>

#include "../errors.h"
#include "bind.h"
#include "openworld/io/data_folder.h"
#include "openworld/io/memory_limit.h"
#include "openworld/tuning/learner_json.h"

namespace py = pybind11;
using namespace openworld::python;

PYBIND11_MODULE(_models, m) {
  m.doc() = "Models, behind libtorch; use the package openworld instead.";

  translate_errors();

  // This module has copies of its own of what openworld._core sets.
  m.def("set_data_folder", &openworld::set_data_folder, py::arg("folder"));
  m.def("set_memory_limit", &openworld::set_memory_limit, py::arg("bytes").none(true));
  m.def(
      "learners", [] { return openworld::learners_json().dump(); },
      "The table of learners as JSON.");

  bind_model(m);
  bind_jobs(m);
  bind_tuned_model(m);
  bind_osr(m);
}
