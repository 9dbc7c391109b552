// Makes one call into the system fail, to see what a program makes of it. Preloaded:
//
//   LD_PRELOAD=fault_shim.so OPENWORLD_FAULT_FOLDER=/tmp/x OPENWORLD_FAULT_KIND=write
//   OPENWORLD_FAULT_AT=3 OPENWORLD_FAULT_ERRNO=28 OPENWORLD_FAULT_REPORT=/tmp/report openworld ...
//
// From the start of main on it counts the calls of every kind: open, read, write, sync, rename,
// link, map, truncate, close and mkdir on files in the folder, so that what the loader, the locale
// and other libraries open does not count, and allocations of at least OPENWORLD_FAULT_BYTES. The
// AT-th call of the KIND fails with the error. ENOSPC stays: half of that write succeeds, as on a
// disk that gets full, and all later writes, opens for writing, folders and truncations fail.
// OPENWORLD_FAULT_ERRNO=0 kills the process with SIGKILL before that call instead.
// The report gets a line "fault KIND PATH" when that happens, and "count KIND N" for every kind at
// the end.
//
// glibc does not call its own open and write through these symbols. So fopen, of what is in the
// folder, returns a stream whose reads and writes come here; the rest of stdio is not watched.

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
}

namespace {

enum Kind {
  kOpen,
  kRead,
  kWrite,
  kSync,
  kRename,
  kLink,
  kMap,
  kTruncate,
  kClose,
  kMkdir,
  kAllocate
};
constexpr std::array<const char*, 11> kNames = {"open",   "read",  "write",   "sync",
                                                "rename", "link",  "map",     "truncate",
                                                "close",  "mkdir", "allocate"};

// Set before main, constant afterwards.
struct Plan {
  int kind = -1;
  long at = 0;
  int error = EIO;
  size_t bytes = SIZE_MAX;
  const char* folder = nullptr;
  size_t folder_size = 0;
  int report = -1;
};
Plan plan;
bool active = false;
std::array<std::atomic<long>, kNames.size()> counts;
std::atomic<bool> disk_is_full = false;
constexpr int kMaxFiles = 4096;
std::array<std::atomic<bool>, kMaxFiles> watched;  // descriptors of files in the folder

long env_number(const char* name, long fallback) {
  const char* text = getenv(name);
  return text == nullptr ? fallback : strtol(text, nullptr, 10);
}

void report(const char* word, const char* kind, const char* what) {
  char line[PATH_MAX + 64];
  const int size = snprintf(line, sizeof line, "%s %s %s\n", word, kind, what);
  if (plan.report >= 0 && size > 0) syscall(SYS_write, plan.report, line, strlen(line));
}

void read_plan() {
  const char* kind = getenv("OPENWORLD_FAULT_KIND");
  for (size_t i = 0; kind != nullptr && i < kNames.size(); ++i) {
    if (strcmp(kind, kNames[i]) == 0) plan.kind = static_cast<int>(i);
  }
  plan.at = env_number("OPENWORLD_FAULT_AT", 0);
  plan.error = static_cast<int>(env_number("OPENWORLD_FAULT_ERRNO", EIO));
  plan.bytes = static_cast<size_t>(env_number("OPENWORLD_FAULT_BYTES", LONG_MAX));
  plan.folder = getenv("OPENWORLD_FAULT_FOLDER");
  plan.folder_size = plan.folder == nullptr ? 0 : strlen(plan.folder);
  if (const char* path = getenv("OPENWORLD_FAULT_REPORT")) {
    const long file =
        syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    // Out of the way of descriptors that the program may count on.
    plan.report = static_cast<int>(syscall(SYS_fcntl, file, F_DUPFD_CLOEXEC, kMaxFiles / 2));
    syscall(SYS_close, file);
  }
}

__attribute__((destructor)) void report_counts() {
  if (!active) return;
  active = false;
  char number[32];
  for (size_t i = 0; i < kNames.size(); ++i) {
    snprintf(number, sizeof number, "%ld", counts[i].load());
    report("count", kNames[i], number);
  }
}

// Counts a call; whether it is the one that fails. Sets errno then.
bool fails(Kind kind, const char* what) {
  const long number = ++counts[kind];
  if (kind != plan.kind || number != plan.at) return false;
  report("fault", kNames[kind], what);
  if (plan.error == 0) syscall(SYS_kill, getpid(), SIGKILL);
  if (plan.error == ENOSPC) disk_is_full = true;
  errno = plan.error;
  return true;
}

bool no_room(bool takes_room) {
  if (!takes_room || !disk_is_full) return false;
  errno = ENOSPC;
  return true;
}

bool in_folder(int folder, const char* path) {
  if (!active || plan.folder == nullptr || path == nullptr) return false;
  char full[PATH_MAX];
  if (path[0] != '/') {
    char link[64];
    if (folder == AT_FDCWD) {
      snprintf(link, sizeof link, "/proc/self/cwd");
    } else {
      snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    }
    const long size = syscall(SYS_readlinkat, AT_FDCWD, link, full, sizeof full);
    if (size < 0) return false;
    snprintf(full + size, sizeof full - static_cast<size_t>(size), "/%s", path);
    path = full;
  }
  return strncmp(path, plan.folder, plan.folder_size) == 0 &&
         (path[plan.folder_size] == '/' || path[plan.folder_size] == '\0');
}

bool is_watched(int fd) {
  return active && fd >= 0 && fd < kMaxFiles && watched[static_cast<size_t>(fd)];
}

const char* name_of(int fd) {
  static thread_local char name[PATH_MAX];
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const long size = syscall(SYS_readlinkat, AT_FDCWD, link, name, sizeof name - 1);
  name[size > 0 ? size : 0] = '\0';
  return name;
}

int do_open(int folder, const char* path, int flags, mode_t mode) {
  const bool watch = in_folder(folder, path);
  if (watch && (fails(kOpen, path) || no_room(flags & O_CREAT))) return -1;
  const auto fd = static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
  if (fd >= 0 && fd < kMaxFiles) watched[static_cast<size_t>(fd)] = watch;
  return fd;
}

// The mode argument of open, which is there only if a file may be made.
#define OPENWORLD_MODE(flags)                             \
  mode_t mode = 0;                                        \
  if ((flags) & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) { \
    va_list arguments;                                    \
    va_start(arguments, flags);                           \
    mode = va_arg(arguments, mode_t);                     \
    va_end(arguments);                                    \
  }

template <class F>
F* next(F*, const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

// Depth of dlopen: what constructors of a library allocate nobody can catch, and the loader's own
// failures are its own.
thread_local int loading = 0;

// Whether the code is of a library that crashes without memory, which is not for us to mend. oneDNN
// uses what malloc returned without a look.
bool is_careless(const void* code) {
  Dl_info info;
  return dladdr(code, &info) != 0 && info.dli_fname != nullptr &&
         strstr(info.dli_fname, "/libdnnl.") != nullptr;
}

bool allocation_fails(size_t size, const void* caller) {
  return active && size >= plan.bytes && loading == 0 && !is_careless(caller) &&
         fails(kAllocate, "");
}

// A stream of a file in the folder, by its descriptor.
FILE* open_stream(const char* path, const char* mode) {
  const bool plus = strchr(mode, '+') != nullptr;
  const int access = plus ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;
  const int extra = mode[0] == 'w' ? O_CREAT | O_TRUNC : mode[0] == 'a' ? O_CREAT | O_APPEND : 0;
  const int fd = open(path, access | extra | O_CLOEXEC, 0666);
  if (fd < 0) return nullptr;
  cookie_io_functions_t functions = {};
  const auto number = [](void* cookie) {
    return static_cast<int>(reinterpret_cast<intptr_t>(cookie));
  };
  static const auto number_of = number;
  functions.read = [](void* cookie, char* to, size_t size) {
    return read(number_of(cookie), to, size);
  };
  functions.write = [](void* cookie, const char* from, size_t size) -> ssize_t {
    const ssize_t written = write(number_of(cookie), from, size);
    return written < 0 ? 0 : written;  // 0 is an error here
  };
  functions.close = [](void* cookie) { return close(number_of(cookie)); };
  return fopencookie(reinterpret_cast<void*>(static_cast<intptr_t>(fd)), mode, functions);
}

using Main = int(int, char**, char**);
Main* real_main;

int watched_main(int argc, char** argv, char** environment) {
  read_plan();
  active = true;
  return real_main(argc, argv, environment);
}

}  // namespace

extern "C" {

int __libc_start_main(Main* main, int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*loader_fini)(), void* stack_end) {
  real_main = main;
  using Start = int(Main*, int, char**, void (*)(), void (*)(), void (*)(), void*);
  static Start* const start = next(static_cast<Start*>(nullptr), "__libc_start_main");
  return start(watched_main, argc, argv, init, fini, loader_fini, stack_end);
}

int open(const char* path, int flags, ...) {
  OPENWORLD_MODE(flags)
  return do_open(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  OPENWORLD_MODE(flags)
  return do_open(AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  OPENWORLD_MODE(flags)
  return do_open(folder, path, flags, mode);
}
int openat64(int folder, const char* path, int flags, ...) {
  OPENWORLD_MODE(flags)
  return do_open(folder, path, flags, mode);
}
int creat(const char* path, mode_t mode) {
  return do_open(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

FILE* fopen(const char* path, const char* mode) {
  if (in_folder(AT_FDCWD, path)) return open_stream(path, mode);
  static auto* const real =
      next(static_cast<FILE* (*)(const char*, const char*)>(nullptr), "fopen");
  return real(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  return fopen(path, mode);
}

void* dlopen(const char* path, int mode) {
  static auto* const real = next(static_cast<void* (*)(const char*, int)>(nullptr), "dlopen");
  ++loading;
  void* const library = real(path, mode);
  --loading;
  return library;
}

DIR* opendir(const char* path) {
  if (in_folder(AT_FDCWD, path) && fails(kOpen, path)) return nullptr;
  static auto* const real = next(static_cast<DIR* (*)(const char*)>(nullptr), "opendir");
  return real(path);
}

int mkdir(const char* path, mode_t mode) {
  if (in_folder(AT_FDCWD, path) && (fails(kMkdir, path) || no_room(true))) return -1;
  return static_cast<int>(syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}

ssize_t read(int fd, void* to, size_t size) {
  if (is_watched(fd) && fails(kRead, name_of(fd))) return -1;
  return syscall(SYS_read, fd, to, size);
}
ssize_t pread(int fd, void* to, size_t size, off_t offset) {
  if (is_watched(fd) && fails(kRead, name_of(fd))) return -1;
  return syscall(SYS_pread64, fd, to, size, offset);
}
ssize_t pread64(int fd, void* to, size_t size, off_t offset) {
  return pread(fd, to, size, offset);
}

ssize_t write(int fd, const void* from, size_t size) {
  if (!is_watched(fd)) return syscall(SYS_write, fd, from, size);
  if (no_room(size > 0)) return -1;
  if (fails(kWrite, name_of(fd))) {
    if (plan.error != ENOSPC || size < 2) return -1;
    return syscall(SYS_write, fd, from, size / 2);
  }
  return syscall(SYS_write, fd, from, size);
}
ssize_t pwrite(int fd, const void* from, size_t size, off_t offset) {
  if (is_watched(fd) && (no_room(size > 0) || fails(kWrite, name_of(fd)))) return -1;
  return syscall(SYS_pwrite64, fd, from, size, offset);
}
ssize_t pwrite64(int fd, const void* from, size_t size, off_t offset) {
  return pwrite(fd, from, size, offset);
}

int fsync(int fd) {
  if (is_watched(fd) && fails(kSync, name_of(fd))) return -1;
  return static_cast<int>(syscall(SYS_fsync, fd));
}
int fdatasync(int fd) {
  if (is_watched(fd) && fails(kSync, name_of(fd))) return -1;
  return static_cast<int>(syscall(SYS_fdatasync, fd));
}

int rename(const char* from, const char* to) {
  if (in_folder(AT_FDCWD, to) && fails(kRename, to)) return -1;
  return static_cast<int>(syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to));
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  if (in_folder(to_folder, to) && fails(kRename, to)) return -1;
  return static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}

int link(const char* from, const char* to) {
  if (in_folder(AT_FDCWD, to) && fails(kLink, to)) return -1;
  return static_cast<int>(syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int ftruncate(int fd, off_t size) {
  if (is_watched(fd) && (no_room(size > 0) || fails(kTruncate, name_of(fd)))) return -1;
  return static_cast<int>(syscall(SYS_ftruncate, fd, size));
}

// The descriptor is closed also where this fails, as the kernel does it.
int close(int fd) {
  const bool watch = is_watched(fd);
  const bool failed = watch && fails(kClose, name_of(fd));
  if (watch) watched[static_cast<size_t>(fd)] = false;
  const auto status = static_cast<int>(syscall(SYS_close, fd));
  if (!failed) return status;
  errno = plan.error;
  return -1;
}

void* mmap(void* address, size_t size, int protection, int flags, int fd, off_t offset) {
  if (is_watched(fd) && fails(kMap, name_of(fd))) return MAP_FAILED;
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, size, protection, flags, fd, offset));
}
void* mmap64(void* address, size_t size, int protection, int flags, int fd, off_t offset) {
  return mmap(address, size, protection, flags, fd, offset);
}

void* malloc(size_t size) {
  return allocation_fails(size, __builtin_return_address(0)) ? nullptr : __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  size_t bytes = SIZE_MAX;
  if (__builtin_mul_overflow(count, size, &bytes)) bytes = SIZE_MAX;
  return allocation_fails(bytes, __builtin_return_address(0)) ? nullptr
                                                              : __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size) {
  return allocation_fails(size, __builtin_return_address(0)) ? nullptr
                                                             : __libc_realloc(memory, size);
}
void* memalign(size_t alignment, size_t size) {
  return allocation_fails(size, __builtin_return_address(0)) ? nullptr
                                                             : __libc_memalign(alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return allocation_fails(size, __builtin_return_address(0)) ? nullptr
                                                             : __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, size_t alignment, size_t size) {
  const int before = errno;
  void* const result = allocation_fails(size, __builtin_return_address(0))
                           ? nullptr
                           : __libc_memalign(alignment, size);
  errno = before;
  if (result == nullptr) return ENOMEM;
  *memory = result;
  return 0;
}

}  // extern "C"
