#include "openworld/io/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>

#include "openworld/io/machine_error.h"

namespace openworld {
namespace {

// The mappings there are, for a signal handler: a list that never shrinks, whose entries are used
// again. Entries are read without a lock, so their fields are atomic.
struct Entry {
  std::atomic<std::uintptr_t> begin{0}, end{0};
  std::atomic<const char*> path{nullptr};
  Entry* next = nullptr;
  bool used = false;  // guarded by the mutex
};
std::atomic<Entry*> first_entry{nullptr};
std::mutex entries_mutex;

Entry* add_entry(const void* data, std::size_t size, const char* path) {
  const std::scoped_lock lock(entries_mutex);
  Entry* entry = first_entry.load();
  while (entry != nullptr && entry->used) entry = entry->next;
  if (entry == nullptr) {
    entry = new Entry;
    entry->next = first_entry.load();
    first_entry.store(entry);
  }
  entry->used = true;
  entry->path.store(path);
  entry->begin.store(reinterpret_cast<std::uintptr_t>(data));
  entry->end.store(entry->begin.load() + size);
  return entry;
}

void remove_entry(Entry* entry) {
  const std::scoped_lock lock(entries_mutex);
  entry->end.store(0);
  entry->begin.store(0);
  entry->path.store(nullptr);
  entry->used = false;
}

void put(std::string_view text) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

struct sigaction previous {};

// Only functions that are safe in a signal handler.
void on_bus_error(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (const Entry* entry = first_entry.load(); entry != nullptr; entry = entry->next) {
    if (address < entry->begin.load() || address >= entry->end.load()) continue;
    const char* path = entry->path.load();
    put("openworld: ");
    put(path == nullptr ? "a file" : path);
    put(": was truncated, or could not be read, while it was in use\n");
    ::_exit(2);
  }
  // Not ours: the handler before, such as that of a program which loaded this as a library.
  if (previous.sa_flags & SA_SIGINFO) return previous.sa_sigaction(signal, info, context);
  ::signal(signal, SIG_DFL);  // it comes again when this returns
}

class Mapping {
 public:
  Mapping(void* data, std::size_t size, const std::string& path)
      : data_(data),
        size_(size),
        path_(printable(path)),
        entry_(add_entry(data, size, path_.c_str())) {}
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    remove_entry(entry_);
    ::munmap(data_, size_);
  }

 private:
  void* data_;
  std::size_t size_;
  std::string path_;
  Entry* entry_;
};

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

// Up to here reading is as fast as mapping, and what was read cannot shrink.
constexpr std::size_t kReadSize = 64 << 10;

Bytes read_whole(int fd, std::size_t size, const Origin& origin) {
  std::vector<std::byte> bytes(size);
  for (std::size_t done = 0; done < size;) {
    const ssize_t count = ::read(fd, bytes.data() + done, size - done);
    if (count == 0)
      origin.fail(fmt::format("ends after {} of {} bytes; was it truncated?", done, size));
    if (count < 0 && errno != EINTR) fail_with_errno(origin, "cannot read", errno);
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  return make_column(std::move(bytes));
}

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
  if (size <= kReadSize) return read_whole(file.fd, size, origin);
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (data == MAP_FAILED) fail_with_errno(origin, "cannot map", errno);
  return {{static_cast<const std::byte*>(data), size},
          std::make_shared<const Mapping>(data, size, origin.file)};
}

void exit_when_mapped_files_shrink() {
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  struct sigaction before {};
  ::sigaction(SIGBUS, &action, &before);
  if (before.sa_sigaction != on_bus_error) previous = before;
}

}  // namespace openworld
