#include "openworld/io/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "openworld/base/entropy.h"

namespace openworld {
namespace {

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Random rather than the process id: tasks on several hosts may write to one shared folder.
std::string temporary_name(const std::string& path) {
  return fmt::format("{}.tmp.{}", path, random_name());
}

// The rename itself must survive a crash. Not every file system can flush a folder, so a failure
// here is ignored: the file is complete under its name.
void flush_folder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

const char* kind_name(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  if (S_ISSOCK(mode)) return "a socket";
  return "a special file";
}

// The standard stream that is the same open file, or -1.
int standard_stream(const struct stat& status) {
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat stream;
    if (::fstat(fd, &stream) == 0 && stream.st_dev == status.st_dev &&
        stream.st_ino == status.st_ino) {
      return fd;
    }
  }
  return -1;
}

struct Freed {
  void operator()(char* text) const { std::free(text); }
};

}  // namespace

AtomicFile::AtomicFile(const std::string& path, std::string_view function)
    : origin_{std::string(function), path}, target_(path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) open_existing();
  if (fd_ >= 0) return;
  temporary_ = temporary_name(target_);
  fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd_ < 0) {
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    fail_with_errno(errno == ENOENT && !folder.empty()
                        ? fmt::format("cannot write it, the folder {} is not there", folder)
                        : "cannot create a temporary file beside it");
  }
}

// Opens what can be written to directly, or finds where a symlink leads. Throws Error otherwise.
void AtomicFile::open_existing() {
  struct stat status;
  if (::stat(target_.c_str(), &status) != 0) fail_with_errno("cannot follow this symlink");
  if (const int stream = standard_stream(status); stream >= 0) {
    // Through the descriptor itself: opened again, a file would be written from its beginning.
    std::fflush(stream == STDOUT_FILENO ? stdout : stderr);
    fd_ = ::dup(stream);
    if (fd_ < 0) fail_with_errno("cannot be written");
    return;
  }
  if (S_ISREG(status.st_mode)) {
    const std::unique_ptr<char, Freed> real(::realpath(target_.c_str(), nullptr));
    if (real == nullptr) fail_with_errno("cannot follow this symlink");
    target_ = real.get();
    return;
  }
  const bool pipe = S_ISFIFO(status.st_mode);
  if (pipe || S_ISCHR(status.st_mode)) {
    // A pipe waits for its reader, as in a shell; a device must not become the controlling one.
    fd_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | (pipe ? 0 : O_NONBLOCK));
    if (fd_ < 0) fail_with_errno("cannot be written");
    if (pipe || ::isatty(fd_) == 1) return;
    ::close(std::exchange(fd_, -1));
  }
  origin_.fail(fmt::format("is {}; expected a regular file, a pipe or a terminal",
                           kind_name(status.st_mode)));
}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!renamed_ && !temporary_.empty()) ::unlink(temporary_.c_str());
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
  const bool direct = temporary_.empty();
  if (!direct && ::fsync(fd_) != 0) fail_with_errno("cannot flush to the disk");
  // A network file system may report a failed write only here.
  if (::close(std::exchange(fd_, -1)) != 0) fail_with_errno("cannot close");
  if (direct) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail_with_errno("cannot rename to it");
  renamed_ = true;
  flush_folder(folder_of(target_));
}

void write_file_atomically(const std::string& path, std::string_view bytes,
                           std::string_view function) {
  AtomicFile file(path, function);
  file.write(std::as_bytes(std::span(bytes)));
  file.commit();
}

}  // namespace openworld
