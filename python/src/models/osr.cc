// Losses of open-set training by themselves.

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "bind.h"
#include "openworld/base/error.h"
#include "openworld/osr/loss.h"
#include "openworld/osr/method_json.h"
#include "openworld/tuning/torch_guest.h"

namespace openworld::python {
namespace {

namespace py = pybind11;

using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Integers = py::array_t<std::int64_t, py::array::c_style>;

constexpr auto kFunction = "osr_loss";

// A copy, in double.
at::Tensor to_tensor(const py::object& array, const std::string& name) {
  const Doubles values = Doubles::ensure(array);
  if (!values) {
    PyErr_Clear();
    fail(kFunction, name + " is no array of numbers");
  }
  at::Tensor tensor = at::empty(
      std::vector<std::int64_t>(values.shape(), values.shape() + values.ndim()), at::kDouble);
  std::memcpy(tensor.data_ptr(), values.data(), static_cast<std::size_t>(values.nbytes()));
  return tensor;
}

at::Tensor to_labels(const py::object& array) {
  const py::array values = py::array::ensure(array);
  const bool integers = values && (values.dtype().kind() == 'i' || values.dtype().kind() == 'u');
  if (!integers) {
    PyErr_Clear();
    fail(kFunction, "labels are no integers");
  }
  const Integers numbers = Integers::ensure(values.attr("astype")("int64"));
  at::Tensor tensor = at::empty(
      std::vector<std::int64_t>(numbers.shape(), numbers.shape() + numbers.ndim()), at::kLong);
  std::memcpy(tensor.data_ptr(), numbers.data(), static_cast<std::size_t>(numbers.nbytes()));
  return tensor;
}

Doubles to_doubles(const at::Tensor& tensor) {
  const at::Tensor values = tensor.contiguous();
  Doubles array(std::vector<py::ssize_t>(values.sizes().begin(), values.sizes().end()));
  std::memcpy(array.mutable_data(), values.data_ptr(), values.nbytes());
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
        OsrLossInput input;
        input.features = to_tensor(features, "features");
        input.labels = to_labels(labels);
        for (const auto& [name, value] : parameters) {
          input.parameters[name] = to_tensor(value, name);
        }
        if (!generated.is_none()) input.generated = to_tensor(generated, "generated");
        input.mix = {.order = order, .share = share};
        const OsrLoss loss = call_torch([&] { return osr_loss(method, options, input); });
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
