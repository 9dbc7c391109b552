// The contents of zip members: in place or inflated.

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>

#include "openworld/io/crc32.h"
#include "openworld/io/memory_limit.h"
#include "openworld/io/zip.h"
#include "openworld/io/zip_format.h"

namespace openworld {
namespace {

// A fuzzer cannot guess a CRC and would never get past it to what reads the arrays.
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
constexpr bool kCheckCrc = false;
#else
constexpr bool kCheckCrc = true;
#endif

[[noreturn]] void fail_member(const Origin& origin, const ZipMember& member,
                              std::string_view what) {
  origin.fail(fmt::format("zip member {} {}", in_quotes(member.name), what));
}

std::shared_ptr<std::byte[]> allocate(const Origin& origin, const ZipMember& member,
                                      std::size_t size) {
  try {
    return std::make_shared_for_overwrite<std::byte[]>(size);
  } catch (const std::bad_alloc&) {
    fail_member(origin, member, fmt::format("needs {} bytes of memory, more than there are", size));
  }
}

// A raw deflate stream.
class Inflater {
 public:
  Inflater() {
    if (::inflateInit2(&stream_, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { ::inflateEnd(&stream_); }

  // Fills `to` from `from` as far as both last. Returns the number of bytes written; `ended` says
  // whether the stream was complete, `valid` whether it was one. zlib counts in 32 bits, hence the
  // pieces.
  std::size_t run(std::span<const std::byte> from, std::span<std::byte> to) {
    constexpr std::size_t kPiece = std::numeric_limits<uInt>::max();
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(from.data()));
    stream_.next_out = reinterpret_cast<Bytef*>(to.data());
    std::size_t in_left = from.size(), out_left = to.size();
    int status = Z_OK;
    while (status == Z_OK) {
      const auto in = static_cast<uInt>(std::min(in_left, kPiece));
      const auto out = static_cast<uInt>(std::min(out_left, kPiece));
      stream_.avail_in = in;
      stream_.avail_out = out;
      status = ::inflate(&stream_, Z_NO_FLUSH);
      in_left -= in - stream_.avail_in;
      out_left -= out - stream_.avail_out;
    }
    valid = status == Z_STREAM_END || status == Z_BUF_ERROR;
    ended = status == Z_STREAM_END && in_left == 0;
    return to.size() - out_left;
  }

  bool valid = false;
  bool ended = false;

 private:
  z_stream stream_{};
};

}  // namespace

Bytes ZipArchive::stored_bytes(const ZipMember& member) const {
  return {bytes_.values.subspan(member.data_offset, member.compressed_size), bytes_.owner};
}

Bytes ZipArchive::inflate(const ZipMember& member, std::size_t limit) const {
  const std::size_t wanted = std::min<std::uint64_t>(member.size, limit);
  const auto buffer = allocate(origin_, member, wanted);
  Inflater inflater;
  const std::size_t written = inflater.run(stored_bytes(member).values, {buffer.get(), wanted});
  if (!inflater.valid) fail_member(origin_, member, "has a corrupt deflate stream");
  if (written < wanted) {
    fail_member(origin_, member,
                fmt::format("inflates to {} bytes; expected {}", written, member.size));
  }
  if (wanted == member.size && !inflater.ended) {
    fail_member(origin_, member,
                fmt::format("has data after {} bytes; expected it to end there", member.size));
  }
  return {{buffer.get(), wanted}, buffer};
}

Bytes ZipArchive::peek(const ZipMember& member, std::size_t limit) const {
  if (member.flags & zip::kFlagEncrypted) {
    fail_member(origin_, member, "is encrypted; expected plain data");
  }
  switch (member.method) {
    case zip::kStored: {
      if (member.size != member.compressed_size) {
        fail_member(origin_, member,
                    fmt::format("is stored in {} bytes; expected its size, {}",
                                member.compressed_size, member.size));
      }
      const Bytes all = stored_bytes(member);
      return {all.values.first(std::min(all.size(), limit)), all.owner};
    }
    case zip::kDeflated:
      if (member.size > zip::kMaxDeflateRatio * member.compressed_size) {
        fail_member(origin_, member,
                    fmt::format("claims {} bytes from {}; deflate gives at most {} times as many",
                                member.size, member.compressed_size, zip::kMaxDeflateRatio));
      }
      return inflate(member, limit);
    default:
      fail_member(origin_, member,
                  fmt::format("has compression method {}; expected 0 (stored) or 8 (deflated)",
                              member.method));
  }
}

Bytes ZipArchive::read(const ZipMember& member) const {
  if (member.method == zip::kDeflated) {
    const std::uint64_t before = inflated_->fetch_add(member.size);
    // Sums of sizes that deflate can reach do not overflow.
    const std::uint64_t size =
        std::min(member.size, zip::kMaxDeflateRatio * member.compressed_size);
    request_memory(before + size, bytes_.size(),
                   fmt::format("zip member {}", in_quotes(member.name)), origin_);
  }
  const Bytes bytes = peek(member, std::numeric_limits<std::size_t>::max());
  const std::uint32_t crc = crc32(bytes.values);
  if (crc != member.crc && kCheckCrc) {
    fail_member(
        origin_, member,
        fmt::format("has CRC-32 {:08x}; expected {:08x}: the file is damaged", crc, member.crc));
  }
  return bytes;
}

}  // namespace openworld
