#pragma once

// Gzip files (RFC 1952), inflated into memory.

#include <cstddef>
#include <span>

#include "openworld/io/column.h"
#include "openworld/io/origin.h"

namespace openworld {

// Whether `bytes` start as a gzip member does.
bool is_gzip(std::span<const std::byte> bytes);

// Every member of a gzip file, one after the other, as the gzip program joins them. Zero bytes at
// the end, padding of tapes, are ignored. Memory grows with what comes out, never past `limit`
// bytes. Throws Error for a longer result, a damaged or truncated stream, and text at the end.
Bytes gunzip(std::span<const std::byte> bytes, std::size_t limit, const Origin& origin);

// Maps the file; a gzip file comes back inflated, any other as it is. Throws Error.
Bytes map_or_gunzip(const Origin& origin, std::size_t limit);

}  // namespace openworld
