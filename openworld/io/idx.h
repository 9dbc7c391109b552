#pragma once

// The idx format of MNIST: an array of bytes behind a big-endian header.
//
//   0 0 | type | dimensions | size of each, 32 bits | values in C order
//
// Read strictly: bytes (type 8) only, and exactly as many as the sizes say.

#include <cstddef>
#include <vector>

#include "openworld/io/column.h"
#include "openworld/io/origin.h"

namespace openworld {

struct IdxArray {
  std::vector<std::size_t> shape;
  Bytes values;
};

// Shares the owner of `bytes`. Throws Error.
IdxArray parse_idx(const Bytes& bytes, std::size_t dimensions, const Origin& origin);

// The file origin.file, mapped; a gzip file comes inflated, within the memory that a file of its
// size may take. Throws Error.
IdxArray read_idx(const Origin& origin, std::size_t dimensions);

}  // namespace openworld
