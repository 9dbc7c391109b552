#pragma once

// A folder for readers that take the path of a file rather than bytes. scripts/fuzz puts it in
// memory, where writing and mapping a small file takes some 20 us.

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>

#include "fuzz/fuzz.h"

namespace openworld {

class FuzzFolder {
 public:
  FuzzFolder()
      : path_((std::filesystem::temp_directory_path() / "openworld_fuzz_XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) std::abort();
  }
  FuzzFolder(const FuzzFolder&) = delete;
  FuzzFolder& operator=(const FuzzFolder&) = delete;
  ~FuzzFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }

  // Replaces the file of that name; its path.
  std::string write(const std::string& name, std::span<const std::byte> bytes) const {
    const std::string path = path_ + '/' + name;
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || ::write(fd, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
      std::abort();
    }
    ::close(fd);
    return path;
  }

  // Without an end of its own it would be gone before what is static in a fuzzer.
  static const FuzzFolder& instance() {
    static const FuzzFolder folder;
    return folder;
  }

 private:
  std::string path_;
};

}  // namespace openworld
