// Losses of open-set training by themselves.

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bind.h"
#include "openworld/base/error.h"
#include "openworld/osr/array_loss.h"
#include "openworld/osr/method_json.h"
#include "openworld/tuning/torch_guest.h"

namespace openworld::python {
namespace {

namespace py = pybind11;

using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Integers = py::array_t<std::int64_t, py::array::c_style>;

constexpr auto kFunction = "osr_loss";

// A copy, in double.
DoubleArray to_array(const py::object& array, const std::string& name) {
  const Doubles values = Doubles::ensure(array);
  if (!values) {
    PyErr_Clear();
    fail(kFunction, name + " is no array of numbers");
  }
  return {{values.shape(), values.shape() + values.ndim()},
          {values.data(), values.data() + values.size()}};
}

Integers to_integers(const py::object& array) {
  const py::array values = py::array::ensure(array);
  const bool integers = values && (values.dtype().kind() == 'i' || values.dtype().kind() == 'u');
  if (!integers) {
    PyErr_Clear();
    fail(kFunction, "labels are no integers");
  }
  return Integers::ensure(values.attr("astype")("int64"));
}

Doubles to_doubles(const DoubleArray& values) {
  Doubles array(std::vector<py::ssize_t>(values.shape.begin(), values.shape.end()));
  std::ranges::copy(values.values, array.mutable_data());
  return array;
}

}  // namespace

void bind_osr(py::module_& m) {
  m.def(
      "osr_methods", [] { return osr_methods_json().dump(); },
      "The table of methods of open-set training as JSON.");
  m.def(
      "osr_loss",
      [](const std::string& method, const std::vector<std::string>& options,
         const py::object& features, const py::object& labels,
         const std::map<std::string, py::object>& parameters, const py::object& generated,
         const std::vector<std::int64_t>& order, double share) {
        ArrayLossInput input;
        input.features = to_array(features, "features");
        const Integers numbers = to_integers(labels);
        input.label_shape.assign(numbers.shape(), numbers.shape() + numbers.ndim());
        input.labels.assign(numbers.data(), numbers.data() + numbers.size());
        for (const auto& [name, value] : parameters) {
          input.parameters[name] = to_array(value, name);
        }
        if (!generated.is_none()) input.generated = to_array(generated, "generated");
        input.mix_order = order;
        input.mix_share = share;
        const ArrayLoss loss = call_torch([&] {
          const py::gil_scoped_release release;
          return array_loss(method, options, input);
        });
        py::dict gradients;
        for (const auto& [name, value] : loss.gradients) {
          gradients[py::str(name)] = to_doubles(value);
        }
        return py::make_tuple(loss.loss, gradients, to_doubles(loss.logits),
                              to_doubles(loss.scores));
      },
      py::arg("method"), py::arg("options"), py::arg("features"), py::arg("labels"),
      py::arg("parameters"), py::arg("generated").none(true), py::arg("order"), py::arg("share"));
}

}  // namespace openworld::python
