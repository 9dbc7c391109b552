#pragma once

// What the fuzzers share. Error is the only exception a parser may throw; any other, any crash and
// any sanitizer report is a finding.

#include <cstddef>
#include <cstdint>
#include <string>

#include "openworld/base/error.h"
#include "openworld/io/column.h"

namespace openworld {

// A copy in a block of its own size, so that reading past its end is seen.
inline Bytes fuzz_bytes(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> copy(size);
  for (std::size_t i = 0; i < size; ++i) copy[i] = static_cast<std::byte>(data[i]);
  return make_column(std::move(copy));
}

// Runs f and forgives Error.
template <class F>
void attempt(F&& f) {
  try {
    f();
  } catch (const Error&) {
  }
}

}  // namespace openworld
