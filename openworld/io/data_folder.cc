#include "openworld/io/data_folder.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace openworld {

std::string data_folder() {
  namespace fs = std::filesystem;
  if (const char* given = std::getenv("OPENWORLD_DATA"); given != nullptr && *given != '\0') {
    return given;
  }
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  return (program.parent_path().parent_path() / "share" / "openworld").string();
}

}  // namespace openworld
