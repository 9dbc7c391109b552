#include "openworld/io/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "openworld/io/machine_error.h"

namespace openworld {
namespace {

class Mapping {
 public:
  Mapping(void* data, std::size_t size) : data_(data), size_(size) {}
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { ::munmap(data_, size_); }

 private:
  void* data_;
  std::size_t size_;
};

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

}  // namespace

Bytes map_file(const Origin& origin) {
  // O_NONBLOCK so that a named pipe is refused below instead of waited for.
  const Descriptor file{::open(origin.file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0) fail_with_errno(origin, "cannot open", errno);
  struct stat status;
  if (::fstat(file.fd, &status) != 0) fail_with_errno(origin, "cannot stat", errno);
  if (S_ISDIR(status.st_mode)) origin.fail("is a directory; expected a file");
  if (!S_ISREG(status.st_mode)) origin.fail("is not a regular file; expected one");
  if (status.st_size == 0) return {};

  const auto size = static_cast<std::size_t>(status.st_size);
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (data == MAP_FAILED) fail_with_errno(origin, "cannot map", errno);
  return {{static_cast<const std::byte*>(data), size}, std::make_shared<const Mapping>(data, size)};
}

}  // namespace openworld
