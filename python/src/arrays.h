#pragma once

// NumPy arrays as the readers of files see arrays, and columns as NumPy arrays. Neither way copies
// what is contiguous, aligned and of a type that the project computes with.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "openworld/io/column.h"
#include "openworld/io/npy.h"
#include "openworld/io/npy_values.h"
#include "openworld/io/origin.h"

namespace openworld::python {

namespace py = pybind11;

enum class Numbers { kIntegers, kFloats };

// Anything that numpy.asarray takes, and tensors, as an NpyArray: the memory of the array itself if
// it is contiguous, in C or, for matrices, Fortran order. Throws Error with the argument and dtype
// unless that is bool, an integer, for kFloats float16, bfloat16, 32 or 64, or exact for kIntegers.
NpyArray to_npy(const py::object& array, const char* name, Numbers numbers, const Origin& origin);

// One-dimensional arrays; nothing for None. Integers are range checked, floats never narrowed.
template <class T>
std::optional<Column<T>> to_column(const py::object& array, const char* name, const char* expected,
                                   const Origin& origin) {
  if (array.is_none()) return std::nullopt;
  const NpyArray npy = to_npy(array, name, Numbers::kIntegers, origin);
  require_dimensions(npy, 1, origin);
  return to_integers<T>(npy, expected, origin);
}
std::optional<FloatColumn> to_float_column(const py::object& array, const char* name,
                                           const Origin& origin);
std::optional<Matrix> to_matrix(const py::object& array, const char* name, const Origin& origin);
// Throws Error for None.
void expect_given(const py::object& array, const char* name, const Origin& origin);
// As to_matrix, of what must be there.
Matrix to_given_matrix(const py::object& array, const char* name, const Origin& origin);

// A read-only array that shares the memory of the column; None for an empty one.
py::object to_array(const Column<std::int8_t>& column);
py::object to_array(const Column<std::int32_t>& column);
py::object to_array(const FloatColumn& column);
// Flags, which are 0 or 1, as an array of bool.
py::object to_flag_array(const Column<std::uint8_t>& column);

// The values as an array that owns them.
template <class T>
py::array to_array(std::vector<T> values) {
  auto* owner = new std::vector<T>(std::move(values));
  const py::capsule base(owner, [](void* p) { delete static_cast<std::vector<T>*>(p); });
  return py::array_t<T>(static_cast<py::ssize_t>(owner->size()), owner->data(), base);
}

}  // namespace openworld::python
