#pragma once

// Records of the zip format that reader and writer share. All numbers are little-endian.

#include <cstddef>
#include <cstdint>

namespace openworld::zip {

inline constexpr std::uint32_t kLocalHeader = 0x04034b50;
inline constexpr std::uint32_t kDirectoryHeader = 0x02014b50;
inline constexpr std::uint32_t kEnd = 0x06054b50;
inline constexpr std::uint32_t kEnd64 = 0x06064b50;
inline constexpr std::uint32_t kEnd64Locator = 0x07064b50;

inline constexpr std::size_t kLocalHeaderSize = 30;
inline constexpr std::size_t kDirectoryHeaderSize = 46;
inline constexpr std::size_t kEndSize = 22;
inline constexpr std::size_t kEnd64Size = 56;
inline constexpr std::size_t kEnd64LocatorSize = 20;

inline constexpr std::uint16_t kStored = 0;
inline constexpr std::uint16_t kDeflated = 8;

inline constexpr std::uint16_t kFlagEncrypted = 1 << 0;
inline constexpr std::uint16_t kFlagSizesFollow = 1 << 3;  // the local header has no sizes
inline constexpr std::uint16_t kFlagUtf8Name = 1 << 11;

inline constexpr std::uint16_t kExtra64 = 0x0001;     // 64-bit sizes and offset
inline constexpr std::uint16_t kExtraAlign = 0xd935;  // padding, as Android's zipalign writes it

// A field with this value is found in the 64-bit record instead.
inline constexpr std::uint32_t kIn64 = 0xffffffff;
inline constexpr std::uint16_t kCountIn64 = 0xffff;

// Deflate codes at best 258 bytes in 2 bits.
inline constexpr std::uint64_t kMaxDeflateRatio = 1032;

}  // namespace openworld::zip
