#pragma once

// Observer: who watches a long job. Libraries print nothing; faces give what they want to show, and
// any member may be empty.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace openworld {

struct TrainingProgress {
  std::string folder;  // of the run
  std::int64_t step = 0, steps = 0;
  std::int64_t epoch = 0, epochs = 0;
  double loss = 0;
};

using ProgressCallback = std::function<void(std::size_t done, std::size_t total)>;

struct Observer {
  // Something that may need attention: an image that is skipped.
  std::function<void(const std::string& line)> warning = {};
  // Something to know: a run that is resumed, or was finished before.
  std::function<void(const std::string& line)> note = {};
  // Makes the callback that follows one piece of work, such as "encoding images".
  std::function<ProgressCallback(const std::string& what)> progress = {};
  // After every step of training.
  std::function<void(const TrainingProgress&)> step = {};
  // Whether to stop, asked after every step and while images are read and encoded; what is done is
  // saved first. Any thread.
  std::function<bool()> stop = {};

  void warn(const std::string& line) const {
    if (warning) warning(line);
  }
  void tell(const std::string& line) const {
    if (note) note(line);
  }
  ProgressCallback follow(const std::string& what) const {
    return progress ? progress(what) : ProgressCallback();
  }
};

}  // namespace openworld
