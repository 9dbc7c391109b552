#pragma once

// The options of evaluations, as Python spells them.

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "openworld/metrics/evaluate.h"

namespace openworld::python {

namespace py = pybind11;

// None, "half" or "strict". Throw Error, which names `function`.
std::optional<Ties> parse_ties(const py::object& ties, const std::string& function);
// None, "new" or "unknown", or 1 or -1 as in the array of sides.
std::optional<Side> parse_open(const py::object& open, const std::string& function);

// A name, a comma-separated list of names, or a sequence of names.
std::vector<MetricRequest> parse_metrics(const py::object& metrics);

std::string_view ties_name(Ties ties);

}  // namespace openworld::python
