#include "watch.h"

#include <fmt/format.h>

#include "../fs_text.h"

namespace openworld::python {
namespace {

// A person sees no more, and a thread that wants the GIL may wait milliseconds for it.
constexpr std::chrono::milliseconds kUpdateInterval(100), kCheckInterval(20);

// Throws what the handler of a signal raised. REQUIRES: the GIL.
void check_signals() {
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

}  // namespace

bool Watch::is_due(const std::string& what) {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (what == what_ && now - last_ < kUpdateInterval) return false;
  what_ = what;
  last_ = now;
  return true;
}

template <class F>
void Watch::stop_if_raised(F&& f) {
  const py::gil_scoped_acquire gil;
  try {
    f();
  } catch (py::error_already_set& raised) {
    interrupt_ = raised;
  }
}

bool Watch::asked_to_stop() {
  if (interrupt_) return true;
  const auto now = Clock::now();
  if (now - last_check_ < kCheckInterval) return false;
  last_check_ = now;
  stop_if_raised(check_signals);
  return interrupt_.has_value();
}

TuningObserver Watch::observer() {
  TuningObserver observer;
  observer.warning = [this](const std::string& line) {
    const py::gil_scoped_acquire gil;
    reporter_.attr("warn")(to_line(line));
  };
  observer.note = [this](const std::string& line) {
    const py::gil_scoped_acquire gil;
    reporter_.attr("tell")(to_line(line));
  };
  // What comes before the first step is not saved, but what was encoded is cached: a signal ends
  // it.
  observer.progress = [this](const std::string& what) -> ProgressCallback {
    return [this, what](std::size_t done, std::size_t total) {
      if (!is_due(what) && done < total) return;
      const py::gil_scoped_acquire gil;
      reporter_.attr("update")(what, done, total, "");
      check_signals();
    };
  };
  observer.step = [this](const TrainingProgress& now) {
    const std::string what = "tuning " + now.folder;
    if (!is_due(what) && now.step < now.steps) return;
    // What the reporter raises, or a signal that comes meanwhile, stops the run with its state
    // saved.
    stop_if_raised([&] {
      reporter_.attr("update")(
          what, now.step, now.steps,
          fmt::format("epoch {}/{}  loss {:.4f}", now.epoch, now.epochs, now.loss));
    });
  };
  observer.stop = [this] { return asked_to_stop(); };
  return observer;
}

}  // namespace openworld::python
