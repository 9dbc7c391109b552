#pragma once

// Evaluations as plain Python objects, of which the package makes its classes.

#include <pybind11/pybind11.h>

#include <optional>
#include <utility>

#include "openworld/metrics/evaluate.h"
#include "openworld/predictions/result_json.h"

namespace openworld::python {

namespace py = pybind11;

// None where it is undefined.
py::object to_object(const MetricValue& value);

// (low, high, level, method), or None.
py::object to_object(const std::optional<Interval>& interval);

// {"counts": {...}, "metrics": [{...}, ...], "notes": [...], "json": the result as the command line
// writes it}
py::dict to_dict(const Evaluation& evaluation, const EvalOptions& options,
                 const ResultContext& context);

// f() while other Python threads run.
template <class F>
auto without_gil(F&& f) {
  const py::gil_scoped_release release;
  return std::forward<F>(f)();
}

}  // namespace openworld::python
