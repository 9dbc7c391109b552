#include "openworld/io/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>
#include <utility>

namespace openworld {
namespace {

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Random rather than the process id: tasks on several hosts may write to one shared folder.
std::string temporary_name(const std::string& path) {
  std::random_device random;
  return fmt::format("{}.tmp.{:08x}{:08x}", path, random(), random());
}

// The rename itself must survive a crash. Not every file system can flush a folder, so a failure
// here is ignored: the file is complete under its name.
void flush_folder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path, std::string_view function)
    : origin_{std::string(function), path}, temporary_(temporary_name(path)) {
  fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd_ < 0) fail_with_errno("cannot create a temporary file beside it");
}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!renamed_) ::unlink(temporary_.c_str());
}

void AtomicFile::fail_with_errno(std::string_view what) const {
  origin_.fail(fmt::format("{}: {}", what, std::strerror(errno)));
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      fail_with_errno("cannot write");
    }
  }
}

void AtomicFile::commit() {
  if (::fsync(fd_) != 0) fail_with_errno("cannot flush to the disk");
  // A network file system may report a failed write only here.
  if (::close(std::exchange(fd_, -1)) != 0) fail_with_errno("cannot close");
  if (::rename(temporary_.c_str(), origin_.file.c_str()) != 0) {
    fail_with_errno("cannot rename to it");
  }
  renamed_ = true;
  flush_folder(folder_of(origin_.file));
}

void write_file_atomically(const std::string& path, std::string_view bytes,
                           std::string_view function) {
  AtomicFile file(path, function);
  file.write(std::as_bytes(std::span(bytes)));
  file.commit();
}

}  // namespace openworld
