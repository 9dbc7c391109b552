#pragma once

// Reading of the .npz files that come with the program.

#include <string>
#include <string_view>
#include <vector>

#include "openworld/io/npy.h"
#include "openworld/io/zip.h"

namespace openworld {

// Opens "doodles.npz" for the world "doodles". Throws Error, as the functions below do.
ZipArchive open_bundled(const std::string& path, const char* function, std::string_view world);

NpyArray require_array(const ZipArchive& archive, std::string_view name);

// An array of uint8 in C order with this shape.
Bytes require_bytes(const ZipArchive& archive, std::string_view name,
                    const std::vector<std::size_t>& shape);

}  // namespace openworld
