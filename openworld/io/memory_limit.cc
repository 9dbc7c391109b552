#include "openworld/io/memory_limit.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <limits>

namespace openworld {
namespace {

constexpr std::uint64_t kNotSet = std::numeric_limits<std::uint64_t>::max();
std::atomic<std::uint64_t> limit{kNotSet};

// Asked once: it is a system call, and every line of a log is bounded.
std::uint64_t half_of_the_machine() {
  static const std::uint64_t kHalf = [] {
    const long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGE_SIZE);
    if (pages <= 0 || size <= 0) return kNotSet;
    return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size) / 2;
  }();
  return kHalf;
}

std::uint64_t default_limit(std::uint64_t file_bytes) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max() / (2 * kMemoryRatio);
  const std::uint64_t by_size = kFreeMemory + kMemoryRatio * std::min(file_bytes, kMost);
  return std::max(std::min(by_size, half_of_the_machine()), file_bytes);
}

}  // namespace

void set_memory_limit(std::optional<std::uint64_t> bytes) {
  limit.store(bytes.value_or(kNotSet));
}

std::optional<std::uint64_t> memory_limit() {
  const std::uint64_t bytes = limit.load();
  return bytes == kNotSet ? std::nullopt : std::optional(bytes);
}

std::uint64_t memory_for(std::uint64_t file_bytes) {
  return memory_limit().value_or(default_limit(file_bytes));
}

std::string memory_refusal(std::uint64_t bytes, std::uint64_t file_bytes, std::string_view what) {
  const std::uint64_t most = memory_for(file_bytes);
  if (bytes <= most) return "";
  const std::string needs = fmt::format("{} needs {} of memory; expected at most {}", what,
                                        byte_count_text(bytes), byte_count_text(most));
  if (memory_limit()) return needs + ", the limit that was set";
  return fmt::format("{} for a file of {}, unless a larger memory limit is set", needs,
                     byte_count_text(file_bytes));
}

void request_memory(std::uint64_t bytes, std::uint64_t file_bytes, std::string_view what,
                    const Origin& origin) {
  const std::string refusal = memory_refusal(bytes, file_bytes, what);
  if (!refusal.empty()) origin.fail(refusal);
}

std::int64_t pixel_limit() {
  // Decoding takes up to 11 bytes a pixel: the image, and coefficients or 16-bit samples.
  constexpr std::uint64_t kBytesPerPixel = 11, kMost = std::uint64_t{1} << 40;
  const auto set = memory_limit();
  return static_cast<std::int64_t>(set ? std::min(*set / kBytesPerPixel, kMost) : kDefaultPixels);
}

std::optional<std::uint64_t> parse_byte_count(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number) || number <= 0) return std::nullopt;
  std::string_view unit(end, text.data() + text.size());
  int power = 0;
  if (!unit.empty() && unit != "B") {
    const std::size_t at = std::string_view("KMGT").find(unit[0]);
    if (at == std::string_view::npos) return std::nullopt;
    power = static_cast<int>(at) + 1;
    unit.remove_prefix(1);
    if (!unit.empty() && unit != "B" && unit != "iB") return std::nullopt;
  }
  const double bytes = std::ldexp(number, 10 * power);
  if (bytes < 1 || bytes >= 0x1p62) return std::nullopt;
  return static_cast<std::uint64_t>(bytes);
}

std::string byte_count_text(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  double value = static_cast<double>(bytes);
  constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  int unit = 0;
  for (; value >= 1023.5; value /= 1024) ++unit;
  return fmt::format("{:.{}f} {}", value, value < 9.95 ? 1 : 0, kUnits[unit]);
}

}  // namespace openworld
