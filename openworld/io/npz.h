#pragma once

// The .npz format of NumPy: a zip archive whose member "score.npy" is the array "score".

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/io/column.h"
#include "openworld/io/npy.h"
#include "openworld/io/origin.h"
#include "openworld/io/zip.h"

namespace openworld {

// The array of that name, or nothing. Only now is the member read; a stored one stays in place. The
// size that the archive claims for it must be what its npy header says before memory is allocated.
std::optional<NpyArray> read_npz_array(const ZipArchive& archive, std::string_view name);

// An array to be written, in C order; `data` are its items, little-endian.
struct NpzEntry {
  std::string name;
  Dtype dtype;
  std::vector<std::size_t> shape;
  std::span<const std::byte> data;
};

enum class Zip64 { kWhenNeeded, kAlways };

// The bytes of an .npz with these arrays, stored. Each array starts at a multiple of 64, so that it
// can be used where the file is mapped. Equal entries give equal bytes: the archive has no clock.
// REQUIRES: distinct names of less than 64 KiB; data.size() is what dtype and shape say.
std::string make_npz(std::span<const NpzEntry> entries, Zip64 zip64 = Zip64::kWhenNeeded);

}  // namespace openworld
