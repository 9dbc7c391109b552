#include "openworld/io/small_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace openworld {

std::optional<std::string> read_small_file(const std::string& path, struct stat* status,
                                           std::size_t most) {
  // Without blocking: the path may be a pipe.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return std::nullopt;
  std::string text;
  struct stat found;
  bool right = ::fstat(fd, &found) == 0 && S_ISREG(found.st_mode);
  // Files of /proc have no size, so that the end is where a read gives nothing.
  while (right && text.size() <= most) {
    constexpr std::size_t kPiece = 4096;
    const std::size_t before = text.size();
    text.resize(before + kPiece);
    const ssize_t size = ::read(fd, text.data() + before, kPiece);
    text.resize(before + (size > 0 ? static_cast<std::size_t>(size) : 0));
    if (size == 0) break;
    if (size < 0 && errno != EINTR) right = false;
  }
  ::close(fd);
  if (!right || text.size() > most) return std::nullopt;
  if (status != nullptr) *status = found;
  return text;
}

}  // namespace openworld
