#include "openworld/cli/models/terminal.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "openworld/base/progress.h"
#include "openworld/cli/print_out.h"

namespace openworld {

void say(const std::string& line) {
  print_note(line);
}

Observer terminal_observer() {
  Observer observer;
  observer.warning = say;
  observer.note = say;
  observer.progress = [](const std::string& what) -> ProgressCallback {
    auto line = std::make_shared<std::optional<Progress>>();
    return [line, what](std::size_t done, std::size_t total) {
      if (!*line) line->emplace(what, total);
      (*line)->update(done);
      if (done == total) line->reset();
    };
  };
  return observer;
}

std::string duration(double seconds) {
  const auto minutes = static_cast<std::int64_t>(seconds / 60);
  if (minutes < 2) return fmt::format("{:.0f} s", seconds);
  if (minutes < 120) return fmt::format("{} min", minutes);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace openworld
