#include "openworld/studies/local_jobs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "openworld/base/error.h"
#include "openworld/base/threads.h"

namespace openworld {
namespace {

struct Job {
  pid_t pid = -1;
  int output = -1;  // the read end of its standard output; -1 once it is closed
  std::string partial;
};

Job start(const JobArguments& arguments, std::string_view function) {
  std::vector<char*> words;
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  std::array<int, 2> ends;
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    fail(function, fmt::format("cannot start a worker: {}", std::strerror(errno)));
  }
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) {
    // Only calls that are safe after a fork.
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(143);
    ::dup2(ends[1], STDOUT_FILENO);
    ::execv(words[0], words.data());
    ::_exit(127);
  }
  const int error = errno;
  ::close(ends[1]);
  if (pid < 0) {
    ::close(ends[0]);
    fail(function, fmt::format("cannot start a worker: {}", std::strerror(error)));
  }
  return {pid, ends[0], ""};
}

class Supervisor {
 public:
  Supervisor(const LocalJobs& jobs, std::string_view function) : jobs_(jobs), function_(function) {}
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;
  // Only after an Error: nothing of it may be left.
  ~Supervisor() {
    for (const Job& job : running_) {
      ::kill(job.pid, SIGKILL);
      ::waitpid(job.pid, nullptr, 0);
      if (job.output >= 0) ::close(job.output);
    }
  }

  std::vector<int> run() {
    for (const JobArguments& arguments : jobs_.jobs) {
      running_.push_back(start(arguments, function_));
    }
    while (!running_.empty()) {
      if (!stopping_ && jobs_.stop && jobs_.stop()) stop_all();
      read_some();
      end_finished();
    }
    return codes_;
  }

 private:
  void stop_all() {
    stopping_ = true;
    for (const Job& job : running_) ::kill(job.pid, SIGTERM);
  }

  void read_some() {
    std::vector<pollfd> waits;
    for (const Job& job : running_) waits.push_back({job.output, POLLIN, 0});
    if (::poll(waits.data(), waits.size(), 100) <= 0) return;
    for (std::size_t i = 0; i < waits.size(); ++i) {
      if (waits[i].revents != 0) read_from(running_[i]);
    }
  }

  void read_from(Job& job) {
    std::array<char, 4096> bytes;
    const ssize_t size = ::read(job.output, bytes.data(), bytes.size());
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (size <= 0) {
      ::close(job.output);
      job.output = -1;
      return;
    }
    job.partial.append(bytes.data(), static_cast<std::size_t>(size));
    for (std::size_t end; (end = job.partial.find('\n')) != std::string::npos;) {
      if (jobs_.line) jobs_.line(job.partial.substr(0, end));
      job.partial.erase(0, end + 1);
    }
  }

  // A job has ended when its output is closed and it can be waited for. A child of its own that
  // holds the output open does not keep it.
  void end_finished() {
    for (std::size_t i = 0; i < running_.size();) {
      Job& job = running_[i];
      int status = 0;
      if (::waitpid(job.pid, &status, WNOHANG) != job.pid) {
        ++i;
        continue;
      }
      while (job.output >= 0) {
        pollfd wait{job.output, POLLIN, 0};
        if (::poll(&wait, 1, 0) <= 0) break;
        read_from(job);
      }
      if (job.output >= 0) ::close(job.output);
      const pid_t pid = job.pid;
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
      record_end(pid, status);
    }
  }

  void record_end(pid_t pid, int status) {
    if (!WIFSIGNALED(status)) {
      codes_.push_back(WEXITSTATUS(status));
      return;
    }
    codes_.push_back(128 + WTERMSIG(status));
    if (stopping_ || !jobs_.crashed) return;
    const JobArguments again = jobs_.crashed(pid, WTERMSIG(status));
    if (!again.empty()) running_.push_back(start(again, function_));
  }

  const LocalJobs& jobs_;
  std::string function_;
  std::vector<Job> running_;
  std::vector<int> codes_;
  bool stopping_ = false;
};

}  // namespace

std::vector<int> run_local_jobs(const LocalJobs& jobs, std::string_view function) {
  return Supervisor(jobs, function).run();
}

int threads_in_all(int asked) {
  if (asked > 0) return asked;
  if (const char* text = std::getenv("SLURM_CPUS_PER_TASK")) {
    int given = 0;
    const char* const end = text + std::strlen(text);
    const auto [stop, error] = std::from_chars(text, end, given);
    if (error == std::errc() && stop == end && given > 0) return given;
  }
  return default_threads();
}

int threads_of_job(int in_all, int jobs) {
  return std::max(1, in_all / std::max(1, jobs));
}

std::string signal_text(int signal) {
  const char* text = ::strsignal(signal);
  return text == nullptr ? fmt::format("signal {}", signal) : text;
}

}  // namespace openworld
