#include "openworld/io/lease.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "openworld/base/entropy.h"
#include "openworld/io/json_file.h"
#include "openworld/io/json_number.h"
#include "openworld/io/machine_error.h"
#include "openworld/io/small_file.h"

namespace openworld {
namespace {

std::string first_line(const std::string& path) {
  const std::string text = read_small_file(path).value_or("");
  return text.substr(0, text.find('\n'));
}

// Field 22 of /proc/PID/stat, behind the name in parentheses, which may hold anything; 0 if there
// is no such process, or only what its parent has not waited for yet.
std::int64_t start_of(std::int64_t pid) {
  const std::string text = read_small_file(fmt::format("/proc/{}/stat", pid)).value_or("");
  std::size_t at = text.rfind(')');
  if (at + 2 < text.size() && (text[at + 2] == 'Z' || text[at + 2] == 'X')) return 0;
  for (int field = 2; field < 22 && at != std::string::npos; ++field) at = text.find(' ', at + 1);
  return at == std::string::npos ? 0 : std::atoll(text.c_str() + at);
}

std::string process_namespace() {
  std::array<char, 64> text;
  const ssize_t size = ::readlink("/proc/self/ns/pid", text.data(), text.size());
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : "";
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string owner_json(const LeaseOwner& owner) {
  const nlohmann::ordered_json json = {{"host", owner.host},
                                       {"pid", owner.pid},
                                       {"boot", owner.boot},
                                       {"processes", owner.processes},
                                       {"started", owner.started},
                                       {"slurm_job", owner.slurm_job},
                                       {"slurm_array_job", owner.slurm_array_job},
                                       {"slurm_array_task", owner.slurm_array_task},
                                       {"claim", random_name()}};
  return json.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// A damaged file has no owner, and is stale by its age alone.
LeaseOwner read_owner(std::string_view text) {
  const std::optional<nlohmann::ordered_json> json = try_parse_json(text);
  if (!json || !json->is_object()) return {};
  const auto field = [&](const char* key) {
    const auto found = json->find(key);
    return found != json->end() && found->is_string() ? found->get<std::string>() : "";
  };
  const auto number = [&](const char* key) {
    const auto found = json->find(key);
    return found != json->end() ? json_integer(*found).value_or(0) : 0;
  };
  return {field("host"),
          number("pid"),
          field("boot"),
          field("processes"),
          number("started"),
          field("slurm_job"),
          field("slurm_array_job"),
          field("slurm_array_task")};
}

FolderTime mtime_of(const struct stat& status) {
  return FolderTime(static_cast<double>(status.st_mtim.tv_sec) +
                    1e-9 * static_cast<double>(status.st_mtim.tv_nsec));
}

std::string other_name(const std::string& path) {
  return fmt::format("{}.tmp.{}", path, random_name());
}

// File systems without hard links; O_EXCL is atomic on them.
bool cannot_link(int error) {
  return error == EPERM || error == ENOTSUP || error == ENOSYS || error == EMLINK;
}

enum class Claim { kTaken, kHeld };

// Writes `text` into a new file. Returns the descriptor, or -1 with errno.
int create(const std::string& path, std::string_view text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return -1;
  if (::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size())) return fd;
  const int error = errno == 0 ? ENOSPC : errno;
  ::close(fd);
  ::unlink(path.c_str());
  errno = error;
  return -1;
}

Claim create_lease(const std::string& path, std::string_view text, const Origin& origin) {
  const std::string temporary = other_name(path);
  int fd = create(temporary, text);
  if (fd < 0) fail_with_errno(origin, "cannot be written", errno);
  bool linked = ::link(temporary.c_str(), path.c_str()) == 0;
  const int error = errno;
  // A network file system may lose the answer to a link that was made.
  struct stat status;
  if (!linked && ::fstat(fd, &status) == 0 && status.st_nlink == 2) linked = true;
  ::unlink(temporary.c_str());
  if (!linked && cannot_link(error)) {
    ::close(fd);
    fd = create(path, text);
    if (fd < 0 && errno != EEXIST) fail_with_errno(origin, "cannot be written", errno);
    linked = fd >= 0;
  } else if (!linked && error != EEXIST) {
    ::close(fd);
    fail_with_errno(origin, "cannot be written", error);
  }
  if (fd >= 0) ::close(fd);
  return linked ? Claim::kTaken : Claim::kHeld;
}

// Removes the stale lease that was seen. Of several that try, one succeeds; whoever meanwhile moved
// a new lease away puts it back.
bool remove_stale(const std::string& path, const struct stat& seen) {
  const std::string aside = other_name(path);
  if (::rename(path.c_str(), aside.c_str()) != 0) return false;
  struct stat moved;
  const bool same = ::lstat(aside.c_str(), &moved) == 0 && moved.st_ino == seen.st_ino &&
                    moved.st_dev == seen.st_dev && mtime_of(moved) == mtime_of(seen);
  if (!same) ::link(aside.c_str(), path.c_str());
  ::unlink(aside.c_str());
  return same;
}

std::optional<LeaseState> look(const std::string& path, FolderClock& clock, struct stat& status) {
  const std::optional<std::string> text = read_small_file(path, &status);
  if (!text) return std::nullopt;
  LeaseState state{.owner = read_owner(*text), .age = 0, .stale = false};
  state.age = (clock.now() - mtime_of(status)).count();
  state.stale = state.age > FolderTime(kStaleAfter).count() || has_ended(state.owner);
  return state;
}

}  // namespace

LeaseOwner this_owner() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const std::int64_t pid = ::getpid();
  return {.host = host.data(),
          .pid = pid,
          .boot = first_line("/proc/sys/kernel/random/boot_id"),
          .processes = process_namespace(),
          .started = start_of(pid),
          .slurm_job = environment("SLURM_JOB_ID"),
          .slurm_array_job = environment("SLURM_ARRAY_JOB_ID"),
          .slurm_array_task = environment("SLURM_ARRAY_TASK_ID")};
}

std::string owner_text(const LeaseOwner& owner) {
  if (owner.pid == 0) return "an unknown process";
  std::string text = fmt::format("process {} on host {}", owner.pid, owner.host);
  if (!owner.slurm_array_job.empty()) {
    text += fmt::format(", Slurm job {}_{}", owner.slurm_array_job, owner.slurm_array_task);
  } else if (!owner.slurm_job.empty()) {
    text += fmt::format(", Slurm job {}", owner.slurm_job);
  }
  return text;
}

bool has_ended(const LeaseOwner& owner) {
  if (owner.boot.empty() || owner.processes.empty() || owner.pid <= 0 || owner.started == 0) {
    return false;
  }
  static const std::string kBoot = first_line("/proc/sys/kernel/random/boot_id");
  static const std::string kProcesses = process_namespace();
  if (owner.boot != kBoot || owner.processes != kProcesses) return false;
  return start_of(owner.pid) != owner.started;
}

std::optional<LeaseState> look_at_lease(const std::string& path, FolderClock& clock) {
  struct stat status;
  return look(path, clock, status);
}

bool is_half_made_lease(std::string_view name) {
  return name.find(".tmp.") != name.npos;
}

void remove_half_made_leases(const std::string& folder, FolderClock& clock) {
  namespace fs = std::filesystem;
  std::vector<std::string> left;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (!is_half_made_lease(it->path().filename().string())) continue;
    const std::optional<LeaseState> state = look_at_lease(it->path().string(), clock);
    if (state && state->stale) left.push_back(it->path().string());
  }
  for (const std::string& path : left) ::unlink(path.c_str());
}

std::optional<Lease> Lease::claim(const std::string& path, FolderClock& clock,
                                  std::string_view function) {
  const Origin origin{std::string(function), path};
  const std::string text = owner_json(this_owner());
  bool taken_over = false;
  // A second round after a stale lease was removed; whoever is quicker then has it.
  for (int round = 0; round < 2; ++round) {
    if (create_lease(path, text, origin) == Claim::kTaken) return Lease(path, text, taken_over);
    struct stat status;
    const std::optional<LeaseState> there = look(path, clock, status);
    if (there && !there->stale) return std::nullopt;
    if (there) taken_over = remove_stale(path, status);
  }
  return std::nullopt;
}

Lease::Lease(Lease&& other) noexcept
    : path_(std::exchange(other.path_, "")),
      text_(std::move(other.text_)),
      taken_over_(other.taken_over_) {}

Lease& Lease::operator=(Lease&& other) noexcept {
  if (this != &other) {
    release();
    path_ = std::exchange(other.path_, "");
    text_ = std::move(other.text_);
    taken_over_ = other.taken_over_;
  }
  return *this;
}

Lease::~Lease() {
  release();
}

// A file that cannot be read now, for want of descriptors for instance, is not one that is lost:
// whoever took it over computes the same bits.
bool Lease::still_held() const {
  if (path_.empty()) return false;
  const std::optional<std::string> text = read_small_file(path_);
  return text ? *text == text_ : ::access(path_.c_str(), F_OK) == 0;
}

bool Lease::renew() const {
  return still_held() && ::utimensat(AT_FDCWD, path_.c_str(), nullptr, AT_SYMLINK_NOFOLLOW) == 0;
}

void Lease::release() {
  if (path_.empty()) return;
  if (still_held()) ::unlink(path_.c_str());
  path_.clear();
}

}  // namespace openworld
