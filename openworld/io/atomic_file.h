#pragma once

// Files that are there whole or not at all: readers never see half of one, and a crash keeps the
// old contents.

#include <string>
#include <string_view>

namespace openworld {

// Writes `bytes` to a temporary name in the folder of `path`, flushes them to the disk, and renames
// the file to `path`, replacing what is there. On failure the temporary file is removed and Error
// names `function` and `path`.
void write_file_atomically(const std::string& path, std::string_view bytes,
                           std::string_view function = "write_file");

}  // namespace openworld
