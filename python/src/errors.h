#pragma once

// What C++ throws, as exceptions of Python: one line each.

#include <pybind11/pybind11.h>

#include "openworld/base/error.h"

namespace openworld::python {

// For every function of the module that is being made.
inline void translate_errors() {
  pybind11::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const pybind11::cast_error&) {
      // Of what a function takes apart itself. pybind11 does not say which value it was.
      PyErr_SetString(
          PyExc_ValueError,
          "[openworld] a value in the arguments has the wrong type, or is a text that is "
          "not valid Unicode");
    }
  });
}

}  // namespace openworld::python
