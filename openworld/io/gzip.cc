#include "openworld/io/gzip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <string>

#include "openworld/io/mapped_file.h"
#include "openworld/io/memory_limit.h"

namespace openworld {
namespace {

// One gzip member at a time, from a span that shrinks.
class GzipStream {
 public:
  explicit GzipStream(std::span<const std::byte> bytes) : left_(bytes) {
    constexpr int kGzipOnly = 16;
    if (::inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;
  ~GzipStream() { ::inflateEnd(&stream_); }

  // Fills a part of `to`; how much, zlib's status says together with the result.
  std::size_t run(std::span<char> to, int* status) {
    constexpr std::size_t kPiece = std::numeric_limits<uInt>::max();  // zlib counts in 32 bits
    const auto in = static_cast<uInt>(std::min(left_.size(), kPiece));
    const auto out = static_cast<uInt>(std::min(to.size(), kPiece));
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(left_.data()));
    stream_.avail_in = in;
    stream_.next_out = reinterpret_cast<Bytef*>(to.data());
    stream_.avail_out = out;
    *status = ::inflate(&stream_, Z_NO_FLUSH);
    left_ = left_.subspan(in - stream_.avail_in);
    return out - stream_.avail_out;
  }

  void start_member() { ::inflateReset(&stream_); }
  std::span<const std::byte> left() const { return left_; }

 private:
  std::span<const std::byte> left_;
  z_stream stream_{};
};

bool all_zero(std::span<const std::byte> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

bool is_gzip(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

Bytes gunzip(std::span<const std::byte> bytes, std::size_t limit, const Origin& origin) {
  if (!is_gzip(bytes)) {
    origin.fail(
        fmt::format("is not in gzip format: it starts with {}; expected \"\\x1f\\x8b\"",
                    in_quotes(as_text(bytes.first(std::min<std::size_t>(bytes.size(), 2))))));
  }
  GzipStream stream(bytes);
  // Inflating stops here, so nothing larger is allocated.
  limit = std::min<std::uint64_t>(limit, memory_limit().value_or(limit));
  std::string text;
  std::size_t written = 0;
  for (;;) {
    if (written == text.size()) {
      // One byte more than allowed, so that a stream of exactly `limit` bytes can end.
      const std::size_t room = limit < text.max_size() ? limit + 1 : limit;
      if (written == room) break;
      text.resize(std::min(room, std::max<std::size_t>(4 * bytes.size(), 2 * written) + 64));
    }
    int status = Z_OK;
    written += stream.run({text.data() + written, text.size() - written}, &status);
    if (written > limit) break;
    if (status == Z_STREAM_END) {
      if (all_zero(stream.left())) {
        text.resize(written);
        return make_bytes(std::move(text));
      }
      if (!is_gzip(stream.left())) {
        origin.fail(fmt::format("has {} bytes after its gzip data; expected it to end there",
                                stream.left().size()));
      }
      stream.start_member();
    } else if (status == Z_BUF_ERROR ||
               (status == Z_OK && stream.left().empty() && written < text.size())) {
      origin.fail("has a truncated gzip stream; is the file complete?");
    } else if (status != Z_OK) {
      origin.fail("has a damaged gzip stream");
    }
  }
  origin.fail(fmt::format("inflates to more than {} bytes", limit));
}

Bytes map_or_gunzip(const Origin& origin, std::size_t limit) {
  Bytes bytes = map_file(origin);
  return is_gzip(bytes.values) ? gunzip(bytes.values, limit, origin) : bytes;
}

}  // namespace openworld
