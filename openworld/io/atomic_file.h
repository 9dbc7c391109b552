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
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path, std::string_view function = "write_file");
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::span<const std::byte> bytes);

  // Flushes to the disk and renames the file to `path`, replacing what is there. Once.
  void commit();

 private:
  [[noreturn]] void fail_with_errno(std::string_view what) const;

  Origin origin_;
  std::string temporary_;
  int fd_ = -1;
  bool renamed_ = false;
};

// The same in one call.
void write_file_atomically(const std::string& path, std::string_view bytes,
                           std::string_view function = "write_file");

}  // namespace openworld
