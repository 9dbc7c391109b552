#pragma once

#include <filesystem>
#include <system_error>

namespace openworld {

// Whether there is a regular file at the path; what cannot be looked at is none.
inline bool is_file(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

}  // namespace openworld
