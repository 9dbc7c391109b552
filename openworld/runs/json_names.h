#pragma once

// Fields that run.json and result.json have in common.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/io/json_fields.h"

namespace openworld {

// A text that stands in tables and titles: one line, not empty. Throws Error.
std::string name_field(const JsonFields& fields, std::string_view key);

// A whole number below 2^64. Throws Error.
std::uint64_t seed_field(const JsonFields& fields, std::string_view key);

// A list of texts, empty if the key is absent. Throws Error.
std::vector<std::string> texts_field(const JsonFields& fields, std::string_view key);

}  // namespace openworld
