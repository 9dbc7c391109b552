#include "openworld/tuning/output_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "openworld/io/origin.h"

namespace openworld {

void expect_writable_npz(const std::string& path, std::string_view function) {
  namespace fs = std::filesystem;
  const Origin origin = {std::string(function), path};
  std::error_code error;
  if (fs::is_directory(path, error)) origin.fail("Is a directory; expected a file to write");
  if (!path.ends_with(".npz")) origin.fail("expected a name that ends in .npz");
  const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : ".";
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    origin.fail(fmt::format("cannot be written: {}", std::strerror(errno)));
  }
}

}  // namespace openworld
