#pragma once

// Arrays from Python as Predictions, checked and derived like files.

#include <pybind11/pybind11.h>

#include <string>

#include "openworld/predictions/predictions.h"

namespace openworld::python {

namespace py = pybind11;

// None where absent.
struct ArrayArguments {
  py::object side, score, correct, base_logits, new_logits, label, overall_correct, predicted;
  py::object base_classes, new_classes, classes, meta;
};

// Checks the arrays and derives what is missing, as load_predictions does for files; an Error
// begins with [function]. Without needs_correct, and without logits to derive it from, an absent
// `correct` is all zeros: for metrics that do not read it. Call with the GIL.
Predictions to_predictions(const ArrayArguments& arguments, const std::string& function,
                           bool needs_correct);

}  // namespace openworld::python
