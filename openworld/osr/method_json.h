#pragma once

// Rows of the table of methods as JSON: name, title, description, citation, options.

#include <nlohmann/json_fwd.hpp>

#include "openworld/osr/method.h"

namespace openworld {

nlohmann::ordered_json osr_method_json(const OsrMethodRow& row);
nlohmann::ordered_json osr_methods_json();

}  // namespace openworld
