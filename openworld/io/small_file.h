#pragma once

// Small files, read whole.

#include <cstddef>
#include <optional>
#include <string>

struct stat;

namespace openworld {

// The contents of a regular file of at most `most` bytes, and its status as it was read; none if it
// is missing, cannot be read or is larger. Faster than a mapping for files of a few kilobytes.
std::optional<std::string> read_small_file(const std::string& path, struct stat* status = nullptr,
                                           std::size_t most = std::size_t{1} << 22);

}  // namespace openworld
