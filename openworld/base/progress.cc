#include "openworld/base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace openworld {
namespace {

bool g_shown = true;

}  // namespace

void show_progress(bool shown) {
  g_shown = shown;
}

Progress::Progress(std::string label, std::size_t total)
    : label_(std::move(label)),
      total_(total),
      shown_(g_shown && isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      last_(start_) {}

Progress::~Progress() {
  if (shown_ && last_ != start_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::update(std::size_t done, const std::string& note) {
  if (!shown_) return;
  const auto now = Clock::now();
  if (now - last_ < std::chrono::milliseconds(100) && done < total_) return;
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double rate = static_cast<double>(done) / std::max(seconds, 1e-9);
  const double left = static_cast<double>(total_ - std::min(done, total_)) / std::max(rate, 1e-9);
  fmt::print(stderr, "\r\x1b[K{} {}/{}  {:.0f}/s  {:.0f} s left{}{}", label_, done, total_, rate,
             left, note.empty() ? "" : "  ", note);
  std::fflush(stderr);
}

}  // namespace openworld
