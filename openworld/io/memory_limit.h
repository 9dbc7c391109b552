#pragma once

// How much memory the contents of a file may take.
//
// A small file can ask for a lot: an archive inflates, a tensor repeats its items, a few bytes are
// an image of many pixels. Readers ask here, with the sizes in the headers, before they allocate.
// By default a file may take kFreeMemory and kMemoryRatio times its own size, up to half of the
// machine's memory. A limit that was set counts alone.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "openworld/io/origin.h"

namespace openworld {

inline constexpr std::uint64_t kFreeMemory = std::uint64_t{64} << 20;
inline constexpr std::uint64_t kMemoryRatio = 16;
inline constexpr std::uint64_t kDefaultPixels = std::uint64_t{1} << 26;  // of one image

// Of the whole process; nothing: the default.
void set_memory_limit(std::optional<std::uint64_t> bytes);
std::optional<std::uint64_t> memory_limit();

// Throws Error unless a file of `file_bytes` may take `bytes`. `what` begins the message: "tensor
// "x"". What is not larger than the file is always allowed by default.
void request_memory(std::uint64_t bytes, std::uint64_t file_bytes, std::string_view what,
                    const Origin& origin);

// The most that a file of `file_bytes` may take.
std::uint64_t memory_for(std::uint64_t file_bytes);

// Why a file of `file_bytes` may not take `bytes`, as request_memory says it; empty if it may.
std::string memory_refusal(std::uint64_t bytes, std::uint64_t file_bytes, std::string_view what);

// The pixels that an image may have: kDefaultPixels, or what fits a limit that was set.
std::int64_t pixel_limit();

// "512M", "1.5G", "800000": bytes, or K, M, G, T for powers of 1024, with or without B or iB.
std::optional<std::uint64_t> parse_byte_count(std::string_view text);

// "3.1 GiB", "64 MiB", "100 bytes".
std::string byte_count_text(std::uint64_t bytes);

}  // namespace openworld
