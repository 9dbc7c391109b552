#include "arrays.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>

namespace openworld::python {
namespace {

// Owns a reference; may die on a thread that does not hold the GIL.
std::shared_ptr<const void> keep_alive(py::object object) {
  return {object.release().ptr(), [](const void* p) {
            const py::gil_scoped_acquire gil;
            Py_DECREF(static_cast<PyObject*>(const_cast<void*>(p)));
          }};
}

Dtype to_dtype(const py::dtype& dtype, const char* name, Numbers numbers, const Origin& origin) {
  const char kind = dtype.kind();
  const auto size = static_cast<std::size_t>(dtype.itemsize());
  const bool integer = kind == 'b' || kind == 'i' || kind == 'u';
  const bool floating = numbers == Numbers::kFloats && kind == 'f' && size <= 8;
  if (!integer && !floating) {
    const auto expected = numbers == Numbers::kIntegers
                              ? "bool or an integer dtype"
                              : "float16, float32, float64 or an integer dtype";
    origin.fail(fmt::format("{} has dtype {}; expected {}", name,
                            std::string(py::str(py::object(dtype))), expected));
  }
  return {static_cast<Dtype::Kind>(kind), size, dtype.byteorder() != '>'};
}

// What numpy.asarray can take. Tensors of PyTorch: without gradient, in memory that NumPy sees, and
// bfloat16, which NumPy does not have, as float32, which is exact.
py::object plain_object(const py::object& object) {
  if (!py::hasattr(object, "detach") || !py::hasattr(object, "cpu")) return object;
  const py::object tensor = object.attr("detach")().attr("cpu")();
  const bool brain = std::string(py::str(tensor.attr("dtype"))) == "torch.bfloat16";
  return brain ? tensor.attr("float")() : tensor;
}

// Arrays of ml_dtypes' bfloat16, which has the bits of the upper half of a float32.
py::array widen_bfloat16(const py::array& array) {
  const py::module_ numpy = py::module_::import("numpy");
  const py::object bits = numpy.attr("ascontiguousarray")(array).attr("view")("uint16");
  const py::object wide = bits.attr("astype")("uint32").attr("__lshift__")(16);
  return wide.attr("view")("float32");
}

// An integer, a truth value, or a number without a fraction: 1.0.
bool is_whole(const py::handle& item) {
  if (PyLong_Check(item.ptr()) || PyIndex_Check(item.ptr())) return true;
  if (py::hasattr(item, "is_integer")) return py::cast<bool>(item.attr("is_integer")());
  const std::string type = py::str(py::type::handle_of(item).attr("__name__"));
  return type == "bool_" || type == "bool";  // NumPy's, in arrays of objects
}

// Floats and objects as integers where every one of them is, with the row of the first that is not.
py::array exact_integers(const py::array& array, const char* name, const Origin& origin) {
  std::vector<std::int64_t> values;
  const py::list items = array.attr("ravel")().attr("tolist")();
  values.reserve(items.size());
  for (const py::handle item : items) {
    const auto number =
        py::reinterpret_steal<py::object>(is_whole(item) ? PyNumber_Long(item.ptr()) : nullptr);
    const long long value = number ? PyLong_AsLongLong(number.ptr()) : 0;
    if (!number || PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      origin.fail(fmt::format("{}[{}] is {}; expected a truth value or an integer", name,
                              values.size(), std::string(py::repr(item))));
    }
    values.push_back(value);
  }
  const py::object flat = py::module_::import("numpy").attr("array")(values, "int64");
  return flat.attr("reshape")(array.attr("shape"));
}

template <class T>
py::object view(const Column<T>& column, const py::dtype& dtype) {
  if (column.empty()) return py::none();
  auto* owner = new std::shared_ptr<const void>(column.owner);
  const py::capsule base(owner,
                         [](void* p) { delete static_cast<std::shared_ptr<const void>*>(p); });
  py::array array(dtype, {static_cast<py::ssize_t>(column.size())},
                  {static_cast<py::ssize_t>(sizeof(T))}, column.values.data(), base);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

}  // namespace

NpyArray to_npy(const py::object& object, const char* name, Numbers numbers, const Origin& origin) {
  const py::module_ numpy = py::module_::import("numpy");
  // Tensors that are not NumPy's way of arrays, of libraries that only know DLPack.
  const bool foreign = !py::hasattr(object, "__array__") && py::hasattr(object, "__dlpack__");
  py::array array = numpy.attr(foreign ? "from_dlpack" : "asarray")(plain_object(object));
  if (std::string(py::str(array.dtype().attr("name"))) == "bfloat16") array = widen_bfloat16(array);
  const char kind = array.dtype().kind();
  if (numbers == Numbers::kIntegers && (kind == 'f' || kind == 'O')) {
    array = exact_integers(array, name, origin);
  }
  NpyArray npy;
  npy.name = name;
  npy.header.dtype = to_dtype(array.dtype(), name, numbers, origin);
  if (!(array.flags() & (py::array::c_style | py::array::f_style))) {
    array = numpy.attr("ascontiguousarray")(array);
  }
  npy.header.fortran_order = !(array.flags() & py::array::c_style);
  npy.header.shape.assign(array.shape(), array.shape() + array.ndim());
  npy.header.count = static_cast<std::size_t>(array.size());
  npy.header.data_size = static_cast<std::size_t>(array.nbytes());
  const auto* data = static_cast<const std::byte*>(array.data());
  npy.data = {{data, npy.header.data_size}, keep_alive(std::move(array))};
  return npy;
}

std::optional<FloatColumn> to_float_column(const py::object& array, const char* name,
                                           const Origin& origin) {
  if (array.is_none()) return std::nullopt;
  const NpyArray npy = to_npy(array, name, Numbers::kFloats, origin);
  require_dimensions(npy, 1, origin);
  return to_floats(npy, origin);
}

std::optional<Matrix> to_matrix(const py::object& array, const char* name, const Origin& origin) {
  if (array.is_none()) return std::nullopt;
  return openworld::to_matrix(to_npy(array, name, Numbers::kFloats, origin), origin);
}

void expect_given(const py::object& array, const char* name, const Origin& origin) {
  if (array.is_none()) origin.fail(fmt::format("{} is None; expected an array", name));
}

Matrix to_given_matrix(const py::object& array, const char* name, const Origin& origin) {
  expect_given(array, name, origin);
  return *to_matrix(array, name, origin);
}

py::object to_array(const Column<std::int8_t>& column) {
  return view(column, py::dtype::of<std::int8_t>());
}

py::object to_array(const Column<std::int32_t>& column) {
  return view(column, py::dtype::of<std::int32_t>());
}

py::object to_array(const FloatColumn& column) {
  return std::visit(
      []<class T>(const Column<T>& values) { return view(values, py::dtype::of<T>()); }, column);
}

py::object to_flag_array(const Column<std::uint8_t>& column) {
  return view(column, py::dtype::of<bool>());
}

}  // namespace openworld::python
