#pragma once

// Tar archives, used where they lie in memory: POSIX ustar and pax, GNU long names, and the V7
// form.
//
// Only regular files are listed; folders, links and devices are skipped. Refused: sparse files,
// names of more than 4096 bytes, a header whose checksum is wrong, sizes that reach past the end. A
// block of zeros ends the archive; so does the end of the file after whole blocks.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/io/column.h"
#include "openworld/io/origin.h"

namespace openworld {

struct TarMember {
  std::string name;
  std::uint64_t offset = 0;  // of its data
  std::uint64_t size = 0;
};

class TarArchive {
 public:
  // Walks over the headers; O(members), without touching the data between them. Throws Error.
  TarArchive(Bytes bytes, Origin origin);

  // In the order of the archive. Names may repeat.
  const std::vector<TarMember>& members() const { return members_; }
  const Origin& origin() const { return origin_; }

  // The data of a member of this archive, in place.
  Bytes read(const TarMember& member) const {
    return {bytes_.values.subspan(member.offset, member.size), bytes_.owner};
  }

 private:
  Bytes bytes_;
  Origin origin_;
  std::vector<TarMember> members_;
};

}  // namespace openworld
