#include "openworld/io/idx.h"

#include <fmt/format.h>

#include "openworld/io/gzip.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/memory_limit.h"

namespace openworld {
namespace {

constexpr unsigned kUnsignedByte = 8;

std::size_t byte_at(const Bytes& bytes, std::size_t at) {
  return std::to_integer<std::size_t>(bytes.values[at]);
}

}  // namespace

IdxArray parse_idx(const Bytes& bytes, std::size_t dimensions, const Origin& origin) {
  const std::size_t header = 4 + 4 * dimensions;
  if (bytes.size() < 4) {
    origin.fail(fmt::format("has {} bytes; expected an idx file, whose header has {}", bytes.size(),
                            header));
  }
  if (byte_at(bytes, 0) != 0 || byte_at(bytes, 1) != 0) {
    origin.fail(fmt::format("is not an idx file: it starts with {}; expected two zero bytes",
                            in_quotes(as_text(bytes.values.first(2)))));
  }
  if (byte_at(bytes, 2) != kUnsignedByte) {
    origin.fail(fmt::format("has idx values of type {}; expected {}, unsigned bytes",
                            byte_at(bytes, 2), kUnsignedByte));
  }
  if (byte_at(bytes, 3) != dimensions) {
    origin.fail(fmt::format("is an idx array of {} dimensions; expected {}", byte_at(bytes, 3),
                            dimensions));
  }
  if (bytes.size() < header) {
    origin.fail(
        fmt::format("is cut off after {} bytes of an idx header of {}", bytes.size(), header));
  }
  IdxArray array;
  const std::size_t left = bytes.size() - header;
  std::size_t count = 1;
  for (std::size_t d = 0; d < dimensions; ++d) {
    std::size_t size = 0;
    for (std::size_t k = 0; k < 4; ++k) size = size << 8 | byte_at(bytes, 4 + 4 * d + k);
    array.shape.push_back(size);
    // What is larger than the file stays so; only an empty dimension brings it back.
    count = size == 0 ? 0 : count > left / size ? left + 1 : count * size;
  }
  if (count != left) {
    origin.fail(fmt::format("has {} bytes of values; expected as many as idx sizes {} have", left,
                            fmt::join(array.shape, " x ")));
  }
  array.values = {bytes.values.subspan(header), bytes.owner};
  return array;
}

IdxArray read_idx(const Origin& origin, std::size_t dimensions) {
  Bytes bytes = map_file(origin);
  if (is_gzip(bytes.values)) {
    const std::uint64_t most =
        memory_limit().value_or(kFreeMemory + kMemoryRatio * std::uint64_t{bytes.size()});
    bytes = gunzip(bytes.values, most, origin);
  }
  return parse_idx(bytes, dimensions, origin);
}

}  // namespace openworld
