#include "openworld/io/zip.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "openworld/io/zip_format.h"

namespace openworld {
namespace {

static_assert(std::endian::native == std::endian::little, "records are read as they are");

// Reads numbers one after the other; running past the end is an Error of the file.
class Cursor {
 public:
  Cursor(std::span<const std::byte> bytes, std::string_view what, const Origin& origin)
      : bytes_(bytes), what_(what), origin_(origin) {}

  template <class T>
  T number() {
    T value;
    const auto from = take(sizeof value);
    std::memcpy(&value, from.data(), sizeof value);
    return value;
  }
  std::span<const std::byte> take(std::uint64_t size) {
    if (size > bytes_.size()) origin_.fail(fmt::format("the zip {} is truncated", what_));
    const auto result = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return result;
  }
  void skip(std::size_t size) { take(size); }
  bool empty() const { return bytes_.empty(); }

 private:
  std::span<const std::byte> bytes_;
  std::string_view what_;
  const Origin& origin_;
};

struct Directory {
  std::uint64_t entries = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t end = 0;  // where the record that ends it starts
};

[[noreturn]] void fail_disks(const Origin& origin) {
  origin.fail("the zip archive spans several disks; expected one file");
}

// The last end record whose comment reaches exactly to the end of the file.
std::size_t find_end(std::span<const std::byte> bytes, const Origin& origin) {
  constexpr std::size_t kMaxComment = 0xffff;
  if (bytes.size() >= zip::kEndSize) {
    const std::size_t last = bytes.size() - zip::kEndSize;
    for (std::size_t comment = 0; comment <= std::min(last, kMaxComment); ++comment) {
      Cursor at(bytes.subspan(last - comment), "end record", origin);
      if (at.number<std::uint32_t>() != zip::kEnd) continue;
      at.skip(16);
      if (at.number<std::uint16_t>() == comment) return last - comment;
    }
  }
  origin.fail(
      "the zip archive has no end record; expected one at the end of the file (is the file "
      "whole?)");
}

bool has_locator(std::span<const std::byte> before_end) {
  std::uint32_t signature = 0;
  if (before_end.size() < zip::kEnd64LocatorSize) return false;
  std::memcpy(&signature, before_end.last(zip::kEnd64LocatorSize).data(), sizeof signature);
  return signature == zip::kEnd64Locator;
}

// The 64-bit end record, whose locator stands right before the plain one.
Directory read_end64(std::span<const std::byte> before_end, const Origin& origin) {
  if (before_end.size() < zip::kEnd64LocatorSize + zip::kEnd64Size) {
    origin.fail("the zip64 end record is missing");
  }
  if (!has_locator(before_end)) origin.fail("the zip64 end record locator is missing");
  const std::size_t locator = before_end.size() - zip::kEnd64LocatorSize;
  Cursor at(before_end.subspan(locator), "zip64 locator", origin);
  at.skip(4);
  if (at.number<std::uint32_t>() != 0) fail_disks(origin);
  Directory directory;
  directory.end = at.number<std::uint64_t>();
  if (at.number<std::uint32_t>() > 1) fail_disks(origin);
  if (directory.end > locator - zip::kEnd64Size) {
    origin.fail(fmt::format("the zip64 end record is at offset {}; expected at most {}",
                            directory.end, locator - zip::kEnd64Size));
  }
  Cursor end(before_end.subspan(directory.end), "zip64 end record", origin);
  if (end.number<std::uint32_t>() != zip::kEnd64) {
    origin.fail("the zip64 end record has a wrong signature");
  }
  // The size field counts what follows it.
  const auto size = end.number<std::uint64_t>();
  if (size != locator - directory.end - 12) {
    origin.fail(fmt::format("the zip64 end record has size {}; expected {}", size,
                            locator - directory.end - 12));
  }
  end.skip(4);
  if (end.number<std::uint32_t>() != 0 || end.number<std::uint32_t>() != 0) fail_disks(origin);
  const auto entries_here = end.number<std::uint64_t>();
  directory.entries = end.number<std::uint64_t>();
  if (directory.entries != entries_here) fail_disks(origin);
  directory.size = end.number<std::uint64_t>();
  directory.offset = end.number<std::uint64_t>();
  return directory;
}

Directory find_directory(std::span<const std::byte> bytes, const Origin& origin) {
  const std::size_t end_offset = find_end(bytes, origin);
  Cursor at(bytes.subspan(end_offset), "end record", origin);
  at.skip(4);
  const auto disk = at.number<std::uint16_t>();
  const auto directory_disk = at.number<std::uint16_t>();
  const auto entries_here = at.number<std::uint16_t>();
  const auto entries = at.number<std::uint16_t>();
  const auto size = at.number<std::uint32_t>();
  const auto offset = at.number<std::uint32_t>();

  Directory directory{entries, offset, size, end_offset};
  const bool needs_64 = entries == zip::kCountIn64 || size == zip::kIn64 || offset == zip::kIn64;
  // PyTorch writes 64-bit records always, between the directory and the plain record.
  if (needs_64 ||
      (std::uint64_t{offset} + size != end_offset && has_locator(bytes.first(end_offset)))) {
    directory = read_end64(bytes.first(end_offset), origin);
    const bool agree =
        directory.entries == entries && directory.size == size && directory.offset == offset;
    if (!needs_64 && !agree) origin.fail("the zip64 end record contradicts the plain one");
  } else if (disk != 0 || directory_disk != 0 || entries_here != entries) {
    fail_disks(origin);
  }
  // Also refuses an archive with something before it, whose offsets would all be off.
  if (directory.size > directory.end || directory.offset != directory.end - directory.size) {
    origin.fail(
        fmt::format("the zip directory of {} bytes is said to be at offset {}; expected it to end "
                    "at {}, where its end record is",
                    directory.size, directory.offset, directory.end));
  }
  if (directory.entries > directory.size / zip::kDirectoryHeaderSize) {
    origin.fail(
        fmt::format("the zip directory has {} entries in {} bytes; expected at least {} "
                    "bytes each",
                    directory.entries, directory.size, zip::kDirectoryHeaderSize));
  }
  return directory;
}

// Replaces the saturated ones of `fields`, in order, by their 64-bit values from the extra field.
void resolve_zip64(Cursor extra, std::initializer_list<std::uint64_t*> fields,
                   const Origin& origin) {
  const auto saturated = [](const std::uint64_t* field) { return *field == zip::kIn64; };
  if (std::none_of(fields.begin(), fields.end(), saturated)) return;
  while (!extra.empty()) {
    const auto id = extra.number<std::uint16_t>();
    Cursor body(extra.take(extra.number<std::uint16_t>()), "zip64 extra field", origin);
    if (id != zip::kExtra64) continue;
    for (std::uint64_t* field : fields) {
      if (saturated(field)) *field = body.number<std::uint64_t>();
    }
    return;
  }
  origin.fail("a zip64 extra field is missing");
}

ZipMember read_entry(Cursor& at, const Origin& origin) {
  if (at.number<std::uint32_t>() != zip::kDirectoryHeader) {
    origin.fail("a zip directory entry has a wrong signature");
  }
  ZipMember member;
  at.skip(4);
  member.flags = at.number<std::uint16_t>();
  member.method = at.number<std::uint16_t>();
  at.skip(4);
  member.crc = at.number<std::uint32_t>();
  member.compressed_size = at.number<std::uint32_t>();
  member.size = at.number<std::uint32_t>();
  const auto name_size = at.number<std::uint16_t>();
  const auto extra_size = at.number<std::uint16_t>();
  const auto comment_size = at.number<std::uint16_t>();
  if (at.number<std::uint16_t>() != 0) fail_disks(origin);
  at.skip(6);
  member.header_offset = at.number<std::uint32_t>();
  member.name = as_text(at.take(name_size));
  const Cursor extra(at.take(extra_size), "extra field", origin);
  at.skip(comment_size);
  resolve_zip64(extra, {&member.size, &member.compressed_size, &member.header_offset}, origin);
  return member;
}

// Finds where the data of a member start and that they end before `limit`.
void locate(ZipMember& member, std::span<const std::byte> bytes, std::uint64_t limit,
            const Origin& origin) {
  const auto fail_member = [&](std::string_view what) {
    origin.fail(fmt::format("zip member {} {}", in_quotes(member.name), what));
  };
  if (member.header_offset > limit || limit - member.header_offset < zip::kLocalHeaderSize) {
    fail_member(fmt::format("has its header at offset {}, past the data", member.header_offset));
  }
  Cursor at(bytes.subspan(member.header_offset, limit - member.header_offset), "local header",
            origin);
  if (at.number<std::uint32_t>() != zip::kLocalHeader) {
    fail_member("has no local header where the directory says");
  }
  at.skip(2);
  const auto flags = at.number<std::uint16_t>();
  const auto method = at.number<std::uint16_t>();
  at.skip(4);
  const auto crc = at.number<std::uint32_t>();
  std::uint64_t compressed_size = at.number<std::uint32_t>();
  std::uint64_t size = at.number<std::uint32_t>();
  const auto name_size = at.number<std::uint16_t>();
  const auto extra_size = at.number<std::uint16_t>();
  const auto name = as_text(at.take(name_size));
  const Cursor extra(at.take(extra_size), "local extra field", origin);
  if (!(flags & zip::kFlagSizesFollow)) {
    resolve_zip64(extra, {&size, &compressed_size}, origin);
    if (crc != member.crc || size != member.size || compressed_size != member.compressed_size) {
      fail_member("has a local header with another size or CRC than the directory");
    }
  }
  if (name != member.name || method != member.method) {
    fail_member("has a local header with another name or method than the directory");
  }
  member.flags |= flags;
  member.data_offset = member.header_offset + zip::kLocalHeaderSize + name_size + extra_size;
  if (member.compressed_size > limit - member.data_offset) {
    fail_member(fmt::format("has {} bytes at offset {}; expected them to end by {}",
                            member.compressed_size, member.data_offset, limit));
  }
}

// REQUIRES: members sorted by name. Overlaps make an archive grow when it is unpacked.
void refuse_shared(const std::vector<ZipMember>& members, const Origin& origin) {
  for (std::size_t i = 1; i < members.size(); ++i) {
    if (members[i].name == members[i - 1].name) {
      origin.fail(fmt::format("zip member {} appears twice", in_quotes(members[i].name)));
    }
  }
  std::vector<const ZipMember*> by_offset;
  for (const ZipMember& member : members) by_offset.push_back(&member);
  std::sort(by_offset.begin(), by_offset.end(), [](const ZipMember* a, const ZipMember* b) {
    return a->header_offset < b->header_offset;
  });
  for (std::size_t i = 1; i < by_offset.size(); ++i) {
    const ZipMember& before = *by_offset[i - 1];
    if (before.data_offset + before.compressed_size > by_offset[i]->header_offset) {
      origin.fail(fmt::format("zip members {} and {} overlap", in_quotes(before.name),
                              in_quotes(by_offset[i]->name)));
    }
  }
}

}  // namespace

ZipArchive::ZipArchive(Bytes bytes, Origin origin)
    : bytes_(std::move(bytes)), origin_(std::move(origin)) {
  const Directory directory = find_directory(bytes_.values, origin_);
  Cursor at(bytes_.values.subspan(directory.offset, directory.size), "directory", origin_);
  members_.reserve(directory.entries);
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    members_.push_back(read_entry(at, origin_));
    locate(members_.back(), bytes_.values, directory.offset, origin_);
  }
  if (!at.empty()) {
    origin_.fail(fmt::format("the zip directory has more than the {} entries it announces",
                             directory.entries));
  }
  std::sort(members_.begin(), members_.end(),
            [](const ZipMember& a, const ZipMember& b) { return a.name < b.name; });
  refuse_shared(members_, origin_);
}

const ZipMember* ZipArchive::find(std::string_view name) const {
  const auto found =
      std::lower_bound(members_.begin(), members_.end(), name,
                       [](const ZipMember& m, std::string_view key) { return m.name < key; });
  return found != members_.end() && found->name == name ? &*found : nullptr;
}

}  // namespace openworld
