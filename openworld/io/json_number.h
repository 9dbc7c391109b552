#pragma once

// Integers of JSON documents. nlohmann's get<std::int64_t>() casts: 1e308 is undefined behaviour
// and 2^63 turns negative.

#include <cstdint>
#include <limits>
#include <optional>

namespace openworld {

// The value if it is an integer that 64 bits hold with a sign. `Json` is one of nlohmann's types.
template <class Json>
std::optional<std::int64_t> json_integer(const Json& value) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!value.is_number_integer()) return std::nullopt;
  if (value.is_number_unsigned() && value.template get<std::uint64_t>() > kMost) {
    return std::nullopt;
  }
  return value.template get<std::int64_t>();
}

}  // namespace openworld
