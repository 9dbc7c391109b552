#pragma once

// Zip archives, read where they lie in memory (PKWARE APPNOTE 6.3, the part that .npz uses).
//
// Stored members are used in place and deflated ones are inflated when asked for. libzip could do
// neither in place nor without libcrypto, which costs milliseconds at every start.
//
// Refused: several disks, encryption, methods other than stored and deflate, a directory that is
// not where its end record says (which is so when something was put before the archive), members
// that overlap or share a name, and sizes that deflate cannot reach.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/io/column.h"
#include "openworld/io/origin.h"

namespace openworld {

struct ZipMember {
  std::string name;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;  // 0 stored, 8 deflated
  std::uint32_t crc = 0;
  std::uint64_t compressed_size = 0;
  std::uint64_t size = 0;
  std::uint64_t header_offset = 0;  // of its local header
  std::uint64_t data_offset = 0;
};

class ZipArchive {
 public:
  // Parses the directory; O(members). Throws Error.
  ZipArchive(Bytes bytes, Origin origin);

  const std::vector<ZipMember>& members() const { return members_; }
  const Origin& origin() const { return origin_; }
  const Bytes& bytes() const { return bytes_; }

  // The member of that name, or nullptr.
  const ZipMember* find(std::string_view name) const;

  // The first `limit` bytes of a member, or all if it is shorter, without checking the CRC: for a
  // look at the header before memory is spent on the rest.
  Bytes peek(const ZipMember& member, std::size_t limit) const;

  // All of a member, its CRC checked. Stored: a view of the archive. Deflated: member.size bytes
  // are allocated, which request_memory grants or not: what was read before counts too.
  Bytes read(const ZipMember& member) const;

 private:
  Bytes stored_bytes(const ZipMember& member) const;
  Bytes inflate(const ZipMember& member, std::size_t limit) const;

  Bytes bytes_;
  Origin origin_;
  std::vector<ZipMember> members_;  // sorted by name
  // Bytes that were inflated. Several threads may read.
  std::shared_ptr<std::atomic<std::uint64_t>> inflated_ =
      std::make_shared<std::atomic<std::uint64_t>>(0);
};

}  // namespace openworld
