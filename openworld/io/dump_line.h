#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace openworld {

// JSON in one line; bytes that are not UTF-8, from file names, become U+FFFD.
std::string dump_line(const nlohmann::ordered_json& json);

}  // namespace openworld
