#include "openworld/io/png_writer.h"

#include <zlib.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string_view>

#include "openworld/io/crc32.h"

namespace openworld {
namespace {

void put_big_endian(std::string* out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) *out += static_cast<char>(value >> shift);
}

void put_chunk(std::string* out, std::string_view type, std::string_view data) {
  put_big_endian(out, static_cast<std::uint32_t>(data.size()));
  const std::size_t begin = out->size();
  out->append(type).append(data);
  put_big_endian(out, crc32(std::as_bytes(std::span(*out)).subspan(begin)));
}

// A zlib stream (RFC 1950) of stored blocks.
std::string store(std::string_view bytes) {
  constexpr std::size_t kBlock = 0xffff;
  std::string out = "\x78\x01";
  for (std::size_t at = 0; at < bytes.size(); at += kBlock) {
    const std::size_t size = std::min(bytes.size() - at, kBlock);
    out += at + size == bytes.size() ? '\1' : '\0';
    for (const std::size_t value : {size, ~size}) {
      out += static_cast<char>(value);
      out += static_cast<char>(value >> 8);
    }
    out += bytes.substr(at, size);
  }
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  put_big_endian(&out, static_cast<std::uint32_t>(::adler32_z(1, data, bytes.size())));
  return out;
}

std::string deflate(std::string_view bytes) {
  std::string out(::compressBound(bytes.size()), '\0');
  uLongf size = out.size();
  const int status = ::compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                                 reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), 9);
  if (status != Z_OK) throw std::bad_alloc();
  out.resize(size);
  return out;
}

// Each row with a byte in front for its filter: 0 none, 2 the difference to the row above.
std::string filtered(int height, std::span<const std::uint8_t> rgb, bool use_above) {
  const std::size_t stride = rgb.size() / static_cast<std::size_t>(height);
  std::string out;
  out.reserve(rgb.size() + static_cast<std::size_t>(height));
  for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y) {
    const bool above = use_above && y > 0;
    out += above ? '\2' : '\0';
    for (std::size_t x = y * stride; x < (y + 1) * stride; ++x) {
      out += static_cast<char>(above ? rgb[x] - rgb[x - stride] : rgb[x]);
    }
  }
  return out;
}

}  // namespace

std::string make_png(int width, int height, std::span<const std::uint8_t> rgb,
                     PngCompression compression) {
  assert(width > 0 && height > 0);
  assert(rgb.size() ==
         std::size_t{3} * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  std::string header;
  put_big_endian(&header, static_cast<std::uint32_t>(width));
  put_big_endian(&header, static_cast<std::uint32_t>(height));
  header += {8, 2, 0, 0, 0};  // bits, RGB, deflate, filters by row, not interlaced
  const bool stored = compression == PngCompression::kStored;
  const std::string rows = filtered(height, rgb, !stored);
  std::string out = "\x89PNG\r\n\x1a\n";
  put_chunk(&out, "IHDR", header);
  put_chunk(&out, "IDAT", stored ? store(rows) : deflate(rows));
  put_chunk(&out, "IEND", "");
  return out;
}

}  // namespace openworld
