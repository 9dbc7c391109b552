#pragma once

// Ownership of an output folder while it is written.
//
// The owner holds a lock on the file `.lock` in the folder. The kernel drops the lock when the
// process ends, however it ends, so a folder is never left locked. On file systems without locks
// there is no protection.

#include <string>
#include <string_view>

namespace openworld {

class FolderLease {
 public:
  // Makes the folder and takes the lock. Throws Error as [function] if another process, or another
  // lease of this one, has it; the message names the owner.
  FolderLease(const std::string& folder, std::string_view function);
  FolderLease(FolderLease&& other) noexcept;
  FolderLease& operator=(FolderLease&& other) noexcept;
  ~FolderLease();

 private:
  void release();

  std::string path_;
  int fd_ = -1;
};

}  // namespace openworld
