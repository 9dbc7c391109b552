#pragma once

// JSON on standard output, the same way from every command.

#include <nlohmann/json_fwd.hpp>

namespace openworld {

// One object and a line break. Names come from file names and CSV cells, which need not be UTF-8;
// bytes that are not become U+FFFD, because JSON has no other way to say them.
void print_json(const nlohmann::ordered_json& json, int indent = 2);

}  // namespace openworld
