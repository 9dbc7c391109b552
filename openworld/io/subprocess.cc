#include "openworld/io/subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "openworld/base/error.h"

extern char** environ;

namespace openworld {
namespace {

// posix_spawn's list of what happens to files in the child.
class FileActions {
 public:
  FileActions() { ::posix_spawn_file_actions_init(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }

  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

// Keeps the first and the last line with something in it.
class Lines {
 public:
  void add(std::string_view text) {
    for (const char c : text) {
      if (c == '\n' || c == '\r') {
        end_line();
      } else if (line_.size() < kMost) {
        line_ += c;
      }
    }
  }

  void end_line() {
    if (line_.find_first_not_of(" \t") != std::string::npos) {
      if (first.empty()) first = line_;
      last = line_;
    }
    line_.clear();
  }

  std::string first, last;

 private:
  static constexpr std::size_t kMost = 300;
  std::string line_;
};

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

ProcessResult run_process(const ProcessRequest& request, const std::string& function) {
  std::vector<char*> words;
  for (const std::string& argument : request.arguments) {
    words.push_back(const_cast<char*>(argument.c_str()));
  }
  words.push_back(nullptr);
  std::array<int, 2> ends;
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    fail(function, fmt::format("cannot start {}: {}", request.arguments[0], std::strerror(errno)));
  }
  const std::string output = request.output.empty() ? "/dev/null" : request.output;
  FileActions actions;
  ::posix_spawn_file_actions_addopen(actions.get(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(actions.get(), STDOUT_FILENO, output.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0666);
  ::posix_spawn_file_actions_adddup2(actions.get(), ends[1], STDERR_FILENO);
  if (!request.folder.empty()) {
    ::posix_spawn_file_actions_addchdir_np(actions.get(), request.folder.c_str());
  }
  pid_t pid = -1;
  const int error = ::posix_spawnp(&pid, words[0], actions.get(), nullptr, words.data(), environ);
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    if (error == ENOENT) return {.found = false, .code = 127, .first_line = "", .last_line = ""};
    fail(function, fmt::format("cannot start {}: {}", request.arguments[0], std::strerror(error)));
  }
  Lines lines;
  bool stopping = false;
  for (;;) {
    pollfd wait{ends[0], POLLIN, 0};
    const int ready = ::poll(&wait, 1, 100);
    if (!stopping && request.stop && request.stop()) {
      ::kill(pid, SIGTERM);
      stopping = true;
    }
    if (ready <= 0) continue;
    std::array<char, 4096> bytes;
    const ssize_t size = ::read(ends[0], bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    lines.add({bytes.data(), static_cast<std::size_t>(size)});
  }
  ::close(ends[0]);
  const int code = wait_for(pid);
  lines.end_line();
  return {.found = true, .code = code, .first_line = lines.first, .last_line = lines.last};
}

}  // namespace openworld
