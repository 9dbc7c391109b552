#pragma once

// Arrays and objects of simdjson by value. value() of a temporary result is a reference into it,
// which a range-for in C++20 does not keep alive.

#include <simdjson.h>

namespace openworld {

// REQUIRES: the element is an array, or an object.
inline simdjson::dom::array json_array(simdjson::dom::element element) {
  return element.get_array().value();
}
inline simdjson::dom::object json_object(simdjson::dom::element element) {
  return element.get_object().value();
}

}  // namespace openworld
