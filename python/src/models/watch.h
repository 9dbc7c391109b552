#pragma once

// Watch: who follows a job from Python. It passes progress on to a reporter, and turns a signal
// that Python would raise, Ctrl-C above all, into a stop of the job at its next safe place.

#include <pybind11/pybind11.h>

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

#include "openworld/base/error.h"
#include "openworld/tuning/torch_guest.h"
#include "openworld/tuning/tuning_job.h"

namespace openworld::python {

namespace py = pybind11;

class Watch {
 public:
  // `reporter` has update(what, done, total, note), warn(line) and tell(line).
  explicit Watch(py::object reporter) : reporter_(std::move(reporter)) {}

  // Its callbacks are called without the GIL. Lives as long as this object.
  TuningObserver observer();

  // f() without the GIL, with torch's settings kept. Raises what a signal handler raised, also
  // where the job was at its end.
  template <class F>
  auto run(F&& f) {
    try {
      auto result = [&] {
        const py::gil_scoped_release release;
        const KeepTorchThreads threads;
        return call_torch(f);
      }();
      if (interrupt_) throw *interrupt_;
      return result;
    } catch (const Error&) {
      if (interrupt_) throw *interrupt_;
      throw;
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  // Whether this is new work, or enough time has passed since the last call of Python. Cheap.
  bool is_due(const std::string& what);
  // f() with the GIL; what it raises is kept for the end of the job.
  template <class F>
  void stop_if_raised(F&& f);
  bool asked_to_stop();

  py::object reporter_;
  std::mutex mutex_;
  std::string what_;
  Clock::time_point last_{}, last_check_{};
  std::optional<py::error_already_set> interrupt_;
};

}  // namespace openworld::python
