#pragma once

// The one reader of JSON text: strict (RFC 8259, UTF-8, no key twice in one object), in time linear
// in the text, and bounded in size, depth, number of values and memory. Nothing else in the project
// parses JSON, except detection/json_stream.h, which reads large files without holding them.

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string_view>

#include "openworld/io/origin.h"

namespace openworld {

// What a kind of document may hold. The defaults fit configurations.
struct JsonLimits {
  std::size_t bytes = std::size_t{1} << 20;
  std::size_t depth = 32;                     // of nested lists and objects
  std::size_t values = std::size_t{1} << 17;  // of any type, with keys
  // Of the file that the text was inflated from, which bounds the memory of the values
  // (memory_limit.h); 0: the text is the file.
  std::uint64_t file_bytes = 0;
};

// Throws Error for what exceeds a limit or is not JSON, and for an object with the same key twice,
// of which two readers could take different values.
nlohmann::json parse_json(std::string_view text, const Origin& origin,
                          const JsonLimits& limits = {});
nlohmann::json parse_json(std::span<const std::byte> bytes, const Origin& origin,
                          const JsonLimits& limits = {});

// The same with keys in the order of the text, to be written again. Looking up a key takes time
// linear in their number.
nlohmann::ordered_json parse_ordered_json(std::string_view text, const Origin& origin,
                                          const JsonLimits& limits = {});

// The same, or nothing instead of an Error.
std::optional<nlohmann::ordered_json> try_parse_json(std::string_view text,
                                                     const JsonLimits& limits = {});

// Only checks the text.
void check_json(std::string_view text, const Origin& origin, const JsonLimits& limits = {});

// parse_json of the file `origin.file`.
nlohmann::json read_json_file(const Origin& origin, const JsonLimits& limits = {});

}  // namespace openworld
