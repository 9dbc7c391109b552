#pragma once

// Strict parsing of untrusted JSON: bounded size and depth, no duplicate keys.

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>

#include "openworld/io/origin.h"

namespace openworld {

struct JsonLimits {
  std::size_t bytes = std::size_t{1} << 20;
  int depth = 32;
};

// Throws Error for what is too long, too deep or not JSON (RFC 8259, UTF-8), and for an object with
// the same key twice, of which two readers could take different values.
nlohmann::json parse_json(std::span<const std::byte> bytes, const Origin& origin,
                          const JsonLimits& limits = {});

// The same with the keys in the order of the text.
nlohmann::ordered_json parse_ordered_json(std::span<const std::byte> bytes, const Origin& origin,
                                          const JsonLimits& limits = {});

// parse_json of the file `origin.file`.
nlohmann::json read_json_file(const Origin& origin, const JsonLimits& limits = {});

}  // namespace openworld
