#include "openworld/io/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>
#include <utility>

#include "openworld/io/origin.h"

namespace openworld {
namespace {

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// A file that is being written under a name of its own; removed unless it was renamed.
class TemporaryFile {
 public:
  TemporaryFile(const Origin& origin, std::string name) : origin_(origin), name_(std::move(name)) {
    fd_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ < 0) fail_with_errno("cannot create a temporary file beside it");
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (fd_ >= 0) ::close(fd_);
    if (!renamed_) ::unlink(name_.c_str());
  }

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
      if (written >= 0) {
        bytes.remove_prefix(static_cast<std::size_t>(written));
      } else if (errno != EINTR) {
        fail_with_errno("cannot write");
      }
    }
    if (::fsync(fd_) != 0) fail_with_errno("cannot flush to the disk");
    // A network file system may report a failed write only here.
    if (::close(std::exchange(fd_, -1)) != 0) fail_with_errno("cannot close");
  }

  void rename_to(const std::string& path) {
    if (::rename(name_.c_str(), path.c_str()) != 0) fail_with_errno("cannot rename to it");
    renamed_ = true;
  }

 private:
  [[noreturn]] void fail_with_errno(std::string_view what) const {
    origin_.fail(fmt::format("{}: {}", what, std::strerror(errno)));
  }

  const Origin& origin_;
  std::string name_;
  int fd_ = -1;
  bool renamed_ = false;
};

// The rename itself must survive a crash. Not every file system can flush a folder, so a failure
// here is not one of the caller's: the file is complete under its name.
void flush_folder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

}  // namespace

void write_file_atomically(const std::string& path, std::string_view bytes,
                           std::string_view function) {
  const Origin origin{std::string(function), path};
  // Random rather than the process id: tasks on several hosts may write to one shared folder.
  std::random_device random;
  TemporaryFile file(origin, fmt::format("{}.tmp.{:08x}{:08x}", path, random(), random()));
  file.write(bytes);
  file.rename_to(path);
  flush_folder(folder_of(path));
}

}  // namespace openworld
