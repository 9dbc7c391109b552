#pragma once

// Paths between Python and C++. Names of files need not be UTF-8: Python keeps such bytes in texts
// as os.fsdecode() does, and here they are bytes again.

#include <pybind11/pybind11.h>

#include <string>

namespace openworld::python {

// REQUIRES: `path` is a str. Throws what os.fsencode() raises.
inline std::string from_path(const pybind11::handle& path) {
  PyObject* const bytes = PyUnicode_EncodeFSDefault(path.ptr());
  if (bytes == nullptr) throw pybind11::error_already_set();
  return pybind11::reinterpret_steal<pybind11::bytes>(bytes);
}

inline pybind11::object to_path(const std::string& path) {
  PyObject* const text =
      PyUnicode_DecodeFSDefaultAndSize(path.data(), static_cast<Py_ssize_t>(path.size()));
  if (text == nullptr) throw pybind11::error_already_set();
  return pybind11::reinterpret_steal<pybind11::object>(text);
}

// A line for people: what is not UTF-8 is replaced.
inline pybind11::object to_line(const std::string& line) {
  PyObject* const text =
      PyUnicode_DecodeUTF8(line.data(), static_cast<Py_ssize_t>(line.size()), "replace");
  if (text == nullptr) throw pybind11::error_already_set();
  return pybind11::reinterpret_steal<pybind11::object>(text);
}

}  // namespace openworld::python
