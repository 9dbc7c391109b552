#pragma once

// What the fuzzers share. Error is the only exception a parser may throw; any other, any crash and
// any sanitizer report is a finding. So is an input that takes too long or, by the limits that
// scripts/fuzz sets, too much memory.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "openworld/base/error.h"
#include "openworld/io/column.h"

namespace openworld {

// A copy in a block of its own size, so that reading past its end is seen.
inline Bytes fuzz_bytes(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> copy(size);
  for (std::size_t i = 0; i < size; ++i) copy[i] = static_cast<std::byte>(data[i]);
  return make_column(std::move(copy));
}

// Aborts if what runs in its scope takes more than a second of this thread's time and 4 us a byte,
// 5 s for 1 MB. Under the sanitizers linear readers take 1 us a byte or less. Unlike libFuzzer's
// -timeout it does not count the time of other processes.
class TimeLimit {
 public:
  explicit TimeLimit(std::size_t bytes) : bytes_(bytes), start_(now()) {}
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;
  ~TimeLimit() {
    const double seconds = now() - start_;
    if (seconds <= 1 + 4e-6 * static_cast<double>(bytes_)) return;
    std::fprintf(stderr, "fuzz: %zu bytes took %.1f s of processor time\n", bytes_, seconds);
    std::abort();
  }

 private:
  static double now() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  std::size_t bytes_;
  double start_;
};

// Runs f and forgives Error.
template <class F>
void attempt(F&& f) {
  try {
    f();
  } catch (const Error&) {
  }
}

}  // namespace openworld
