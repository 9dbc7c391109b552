#include "openworld/io/png_reader.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <new>
#include <string_view>

#include "openworld/io/column.h"
#include "openworld/io/crc32.h"
#include "openworld/io/memory_limit.h"

namespace openworld {
namespace {

// A fuzzer cannot guess a checksum and would never get past the first chunk.
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
constexpr bool kCheckChunks = false;
#else
constexpr bool kCheckChunks = true;
#endif

constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";

std::uint32_t big_endian(std::span<const std::byte> bytes) {
  std::uint32_t value = 0;
  for (std::size_t k = 0; k < 4; ++k) value = value << 8 | std::to_integer<std::uint32_t>(bytes[k]);
  return value;
}

struct Chunk {
  std::string_view type;
  std::span<const std::byte> data;
};

// The chunks of a file, one after the other.
class Chunks {
 public:
  Chunks(std::span<const std::byte> bytes, const Origin& origin) : origin_(origin) {
    if (!as_text(bytes).starts_with(kSignature)) origin.fail("is not a PNG file");
    left_ = bytes.subspan(kSignature.size());
  }

  Chunk next() {
    constexpr std::size_t kAround = 12;  // length, type and checksum
    if (left_.size() < kAround) origin_.fail("is a truncated PNG file");
    const std::size_t length = big_endian(left_);
    if (length > left_.size() - kAround) origin_.fail("is a truncated PNG file");
    const Chunk chunk{as_text(left_.subspan(4, 4)), left_.subspan(8, length)};
    const std::uint32_t stored = big_endian(left_.subspan(8 + length));
    if (kCheckChunks && crc32(left_.subspan(4, 4 + length)) != stored) {
      origin_.fail(fmt::format("has a PNG chunk {} with a wrong checksum", in_quotes(chunk.type)));
    }
    left_ = left_.subspan(length + kAround);
    return chunk;
  }

 private:
  const Origin& origin_;
  std::span<const std::byte> left_;
};

PngHeader parse_header(const Chunk& chunk, const Origin& origin) {
  constexpr std::size_t kSize = 13;
  if (chunk.type != "IHDR" || chunk.data.size() != kSize) {
    origin.fail("is a PNG file without its header");
  }
  const auto number = [&](std::size_t at) { return std::to_integer<int>(chunk.data[at]); };
  PngHeader header{big_endian(chunk.data), big_endian(chunk.data.subspan(4)), 0};
  constexpr std::size_t kMaxSide = std::numeric_limits<std::int32_t>::max();
  if (header.width == 0 || header.height == 0 || header.width > kMaxSide ||
      header.height > kMaxSide) {
    origin.fail(
        fmt::format("is a PNG of {} x {} pixels; expected some", header.width, header.height));
  }
  constexpr std::array<std::size_t, 7> kChannels = {1, 0, 3, 0, 2, 0, 4};  // by colour type
  const int colour = number(9);
  if (colour >= 0 && colour < 7) header.channels = kChannels[static_cast<std::size_t>(colour)];
  if (number(8) != 8 || header.channels == 0 || number(10) != 0 || number(11) != 0 ||
      number(12) != 0) {
    origin.fail(
        fmt::format("is a PNG of {} bits, colour type {} and interlacing {}; expected 8 bits of "
                    "grey or RGB, not interlaced",
                    number(8), colour, number(12)));
  }
  return header;
}

// What the IDAT chunks inflate to, in pieces of any size.
class PixelStream {
 public:
  PixelStream(Chunks* chunks, const Origin& origin) : chunks_(chunks), origin_(origin) {
    if (::inflateInit(&stream_) != Z_OK) throw std::bad_alloc();
  }
  PixelStream(const PixelStream&) = delete;
  PixelStream& operator=(const PixelStream&) = delete;
  ~PixelStream() { ::inflateEnd(&stream_); }

  void read(std::span<std::uint8_t> to) {
    stream_.next_out = to.data();
    stream_.avail_out = static_cast<uInt>(to.size());
    while (stream_.avail_out > 0) {
      if (ended_) origin_.fail("is a PNG file with fewer pixels than its header says");
      step();
    }
  }

  // Nothing but the end may follow.
  void finish() {
    std::uint8_t extra = 0;
    stream_.next_out = &extra;
    stream_.avail_out = 1;
    while (!ended_ && stream_.avail_out > 0) step();
    if (stream_.avail_out == 0) origin_.fail("is a PNG file with more pixels than its header says");
    while (true) {
      const Chunk chunk = chunks_->next();
      if (chunk.type == "IEND") return;
      if (chunk.type != "IDAT") refuse_critical(chunk);
    }
  }

  // Chunks whose name starts with a small letter can be left out.
  void refuse_critical(const Chunk& chunk) const {
    const bool optional = (chunk.type[0] & 0x20) != 0 || chunk.type == "PLTE";
    if (!optional) origin_.fail(fmt::format("has the PNG chunk {}", in_quotes(chunk.type)));
  }

 private:
  void step() {
    if (stream_.avail_in == 0) next_chunk();
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      ended_ = true;
    } else if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      origin_.fail("is a PNG file whose pixels are damaged");
    }
  }

  void next_chunk() {
    for (;;) {
      const Chunk chunk = chunks_->next();
      if (chunk.type == "IDAT") {
        stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(chunk.data.data()));
        stream_.avail_in = static_cast<uInt>(chunk.data.size());
        started_ = true;
        if (!chunk.data.empty()) return;
        continue;
      }
      if (started_ || chunk.type == "IEND") origin_.fail("is a PNG file whose pixels end early");
      refuse_critical(chunk);
    }
  }

  Chunks* chunks_;
  const Origin& origin_;
  z_stream stream_{};
  bool started_ = false;
  bool ended_ = false;
};

std::uint8_t paeth(int left, int above, int corner) {
  const int guess = left + above - corner;
  const int to_left = std::abs(guess - left), to_above = std::abs(guess - above),
            to_corner = std::abs(guess - corner);
  if (to_left <= to_above && to_left <= to_corner) return static_cast<std::uint8_t>(left);
  return static_cast<std::uint8_t>(to_above <= to_corner ? above : corner);
}

// Undoes the filter of a row. `above` is the row before, zeros for the first.
void undo_filter(int filter, std::size_t channels, std::span<const std::uint8_t> above,
                 std::span<std::uint8_t> row, const Origin& origin) {
  const auto left = [&](std::size_t i) { return i < channels ? 0 : int{row[i - channels]}; };
  const auto corner = [&](std::size_t i) { return i < channels ? 0 : int{above[i - channels]}; };
  const auto add = [&](const auto& guess) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = static_cast<std::uint8_t>(row[i] + guess(i));
    }
  };
  switch (filter) {
    case 0:
      break;
    case 1:
      add(left);
      break;
    case 2:
      add([&](std::size_t i) { return int{above[i]}; });
      break;
    case 3:
      add([&](std::size_t i) { return (left(i) + above[i]) / 2; });
      break;
    case 4:
      add([&](std::size_t i) { return int{paeth(left(i), above[i], corner(i))}; });
      break;
    default:
      origin.fail(fmt::format("is a PNG file with the filter {}; expected 0 to 4", filter));
  }
}

void put_rgb(std::span<const std::uint8_t> row, std::size_t channels, std::uint8_t* out) {
  const bool grey = channels <= 2;
  for (std::size_t i = 0; i < row.size(); i += channels, out += 3) {
    out[0] = row[i];
    out[1] = row[grey ? i : i + 1];
    out[2] = row[grey ? i : i + 2];
  }
}

}  // namespace

PngHeader read_png_header(std::span<const std::byte> bytes, const Origin& origin) {
  return parse_header(Chunks(bytes, origin).next(), origin);
}

std::vector<std::uint8_t> read_png_rgb(std::span<const std::byte> bytes, const Origin& origin) {
  Chunks chunks(bytes, origin);
  const PngHeader header = parse_header(chunks.next(), origin);
  // Sides are below 2^31, so that the product fits.
  const std::uint64_t size = 3 * std::uint64_t{header.width} * header.height;
  const std::string what = fmt::format("{} x {} pixels", header.width, header.height);
  request_memory(size, bytes.size(), what, origin);
  std::vector<std::uint8_t> rgb(size);
  // A row of its own, with the byte of the filter in front; two, for the one above.
  const std::size_t stride = header.channels * header.width;
  std::vector<std::uint8_t> row(stride + 1), above(stride + 1);
  PixelStream pixels(&chunks, origin);
  for (std::size_t y = 0; y < header.height; ++y) {
    pixels.read(row);
    const std::span<std::uint8_t> values = std::span(row).subspan(1);
    undo_filter(row[0], header.channels, std::span(above).subspan(1), values, origin);
    put_rgb(values, header.channels, &rgb[3 * header.width * y]);
    row.swap(above);
  }
  pixels.finish();
  return rgb;
}

}  // namespace openworld
