// openworld._core: the C++ library as Python sees it. The package openworld wraps it.

#include <pybind11/pybind11.h>

#include "bind.h"
#include "errors.h"
#include "openworld/base/version.h"
#include "table_format.h"

namespace py = pybind11;
using namespace openworld::python;

PYBIND11_MODULE(_core, m) {
  m.doc() = "The C++ core of openworld; use the package openworld instead.";
  m.attr("__version__") = OPENWORLD_VERSION;

  translate_errors();

  bind_options(m);
  bind_predictions(m);
  bind_table(m);
  bind_evaluate(m);
  bind_accumulator(m);
  bind_curve(m);
  bind_compare(m);
  bind_diagnosis(m);
  bind_sensitivity(m);
  bind_samplesize(m);
  bind_per_class(m);
  bind_threshold(m);
  bind_drc(m);
  bind_friedman(m);
  bind_seeds(m);
  bind_score(m);
  bind_openset(m);
  bind_detection(m);
  bind_requests(m);
  bind_runs(m);
  bind_report(m);
  bind_table_format(m);
}
