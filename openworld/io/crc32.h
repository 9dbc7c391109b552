#pragma once

// CRC-32 as zip has it (polynomial 0x04c11db7, reflected).

#include <cstddef>
#include <cstdint>
#include <span>

namespace openworld {

// Folds 64 bytes at a time with carry-less multiplication where the processor has it, some 10 GB/s,
// so that checking a mapped array costs less than its page faults; zlib's tables, 2 GB/s,
// elsewhere.
std::uint32_t crc32(std::span<const std::byte> bytes);

}  // namespace openworld
