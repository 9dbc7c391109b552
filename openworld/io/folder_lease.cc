#include "openworld/io/folder_lease.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "openworld/io/origin.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

enum class Lock { kTaken, kHeld, kUnsupported };

// A lock of the open file, not of the process: two leases of one process exclude each other too.
Lock try_lock(int fd) {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  for (;;) {
    if (::fcntl(fd, F_OFD_SETLK, &whole) == 0) return Lock::kTaken;
    if (errno != EINTR) break;
  }
  return errno == EAGAIN || errno == EACCES ? Lock::kHeld : Lock::kUnsupported;
}

// "process 123 on host x", as its owner wrote it.
std::string owner_of(int fd) {
  std::array<char, 200> text;
  const ssize_t size = ::pread(fd, text.data(), text.size(), 0);
  std::string_view owner(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  owner = owner.substr(0, owner.find('\n'));
  return owner.empty() ? "another process" : std::string(owner);
}

void write_owner(int fd) {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const std::string text = fmt::format("process {} on host {}\n", ::getpid(), host.data());
  // For messages only, so a failure does not matter. What was longer ends at the line break.
  [[maybe_unused]] const ssize_t written = ::pwrite(fd, text.data(), text.size(), 0);
}

// Whether the path still names the open file: its last owner may just have removed it.
bool is_at(int fd, const std::string& path) {
  struct stat open, there;
  return ::fstat(fd, &open) == 0 && ::stat(path.c_str(), &there) == 0 &&
         open.st_dev == there.st_dev && open.st_ino == there.st_ino;
}

}  // namespace

FolderLease::FolderLease(const std::string& folder, std::string_view function)
    : path_((fs::path(folder) / ".lock").string()) {
  const Origin origin{std::string(function), folder};
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) origin.fail(fmt::format("cannot be created: {}", error.message()));
  for (;;) {
    fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd_ < 0) origin.fail(fmt::format("cannot be written: {}", std::strerror(errno)));
    switch (try_lock(fd_)) {
      case Lock::kHeld: {
        const std::string owner = owner_of(fd_);
        ::close(std::exchange(fd_, -1));
        origin.fail(
            fmt::format("is being written by {}; wait for it, or choose another folder", owner));
      }
      case Lock::kUnsupported:
        return;
      case Lock::kTaken:
        break;
    }
    if (is_at(fd_, path_)) break;
    ::close(std::exchange(fd_, -1));
  }
  write_owner(fd_);
}

FolderLease::FolderLease(FolderLease&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}

FolderLease& FolderLease::operator=(FolderLease&& other) noexcept {
  if (this != &other) {
    release();
    path_ = std::move(other.path_);
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

FolderLease::~FolderLease() {
  release();
}

// Removed before it is unlocked: whoever opened it meanwhile sees that it is gone.
void FolderLease::release() {
  if (fd_ < 0) return;
  ::unlink(path_.c_str());
  ::close(std::exchange(fd_, -1));
}

}  // namespace openworld
