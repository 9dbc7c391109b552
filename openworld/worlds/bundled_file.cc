#include "openworld/worlds/bundled_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "openworld/io/mapped_file.h"
#include "openworld/io/npz.h"

namespace openworld {

ZipArchive open_bundled(const std::string& path, const char* function, std::string_view world) {
  const Origin origin{function, path};
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    origin.fail(
        fmt::format("does not exist; expected the bundled pictures, or OPENWORLD_DATA set to the "
                    "folder that holds {}.npz",
                    world));
  }
  return ZipArchive(map_file(origin), origin);
}

NpyArray require_array(const ZipArchive& archive, std::string_view name) {
  auto array = read_npz_array(archive, name);
  if (!array) archive.origin().fail(fmt::format("has no array {}", name));
  return std::move(*array);
}

Bytes require_bytes(const ZipArchive& archive, std::string_view name,
                    const std::vector<std::size_t>& shape) {
  const NpyArray array = require_array(archive, name);
  const NpyHeader& header = array.header;
  if (header.shape != shape || header.dtype.name() != "|u1" || header.fortran_order) {
    archive.origin().fail(fmt::format("{} has dtype {} and shape {}; expected |u1 and {}", name,
                                      header.dtype.name(), shape_text(header.shape),
                                      shape_text(shape)));
  }
  return array.data;
}

}  // namespace openworld
