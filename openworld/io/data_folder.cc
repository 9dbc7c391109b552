#include "openworld/io/data_folder.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace openworld {
namespace {

std::string& folder_that_was_set() {
  static std::string folder;
  return folder;
}

}  // namespace

void set_data_folder(const std::string& folder) {
  folder_that_was_set() = folder;
}

std::string data_folder() {
  namespace fs = std::filesystem;
  if (const char* given = std::getenv("OPENWORLD_DATA"); given != nullptr && *given != '\0') {
    return given;
  }
  if (!folder_that_was_set().empty()) return folder_that_was_set();
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  return (program.parent_path().parent_path() / "share" / "openworld").string();
}

}  // namespace openworld
