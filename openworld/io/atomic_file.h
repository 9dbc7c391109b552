#pragma once

// Atomic writes: readers see the old contents or the new ones, never a partial file, also after a
// crash.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "openworld/io/origin.h"

namespace openworld {

// A file written piece by piece to a temporary name in the folder of `path`. Destroyed before
// commit, or when a call throws, it leaves nothing behind. Errors name `function` and `path`.
//
// A symlink to a regular file stays, and the file that it leads to is replaced. A pipe, a terminal
// and the process's own standard output or error (/dev/stdout) are written to directly, which is
// not atomic. Everything else that is not a regular file is refused and left as it is.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path, std::string_view function = "write_file");
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::span<const std::byte> bytes);

  // Flushes to the disk and renames the file to its place, replacing what is there. Once.
  void commit();

 private:
  [[noreturn]] void fail_with_errno(std::string_view what) const;

  void open_existing();

  Origin origin_;
  std::string target_;     // where the file goes: `path`, or what it is a symlink to
  std::string temporary_;  // empty for what is written directly
  int fd_ = -1;
  bool renamed_ = false;
};

// The same in one call.
void write_file_atomically(const std::string& path, std::string_view bytes,
                           std::string_view function = "write_file");

}  // namespace openworld
