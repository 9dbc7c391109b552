#include "openworld/metrics/outcomes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>

#include "openworld/base/error.h"
#include "openworld/base/simd.h"

namespace openworld {
namespace {

// The first row whose badness(value) is not zero, or values.size(). Blocks are tested whole: a loop
// without an early exit over integers of the values' own width is vectorised, and the usual answer
// is that all is well.
template <class T, class Badness>
inline __attribute__((always_inline)) std::size_t first_bad(std::span<const T> values,
                                                            Badness badness) {
  constexpr std::size_t kBlock = 4096;
  for (std::size_t begin = 0; begin < values.size(); begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, values.size());
    decltype(badness(values[0])) any = 0;
    for (std::size_t i = begin; i < end; ++i) any |= badness(values[i]);
    if (any == 0) continue;
    while (badness(values[begin]) == 0) ++begin;
    return begin;
  }
  return values.size();
}

OPENWORLD_SIMD std::size_t first_bad_side(std::span<const std::int8_t> side) {
  return first_bad(side, [](std::int8_t s) {
    return static_cast<std::uint8_t>(static_cast<std::uint8_t>(s + 1) > 2);
  });
}

OPENWORLD_SIMD std::size_t first_bad_flag(std::span<const std::uint8_t> flags) {
  return first_bad(flags, [](std::uint8_t f) { return static_cast<std::uint8_t>(f & 0xfe); });
}

// Infinities and NaNs are the floats whose exponent bits are all ones.
OPENWORLD_SIMD std::size_t first_bad_score(std::span<const float> scores) {
  return first_bad(scores, [](float r) {
    constexpr std::uint32_t kExponent = 0x7f800000u;
    return static_cast<std::uint32_t>((std::bit_cast<std::uint32_t>(r) & kExponent) == kExponent);
  });
}

OPENWORLD_SIMD std::size_t first_bad_score(std::span<const double> scores) {
  return first_bad(scores, [](double r) {
    constexpr std::uint64_t kExponent = 0x7ff0000000000000u;
    return static_cast<std::uint64_t>((std::bit_cast<std::uint64_t>(r) & kExponent) == kExponent);
  });
}

void check_size(std::string_view name, std::size_t size, std::size_t expected) {
  if (size != expected) {
    fail("outcomes",
         fmt::format("{} has {} rows; expected {}, one per row of side", name, size, expected));
  }
}

void check_flags(std::string_view name, std::span<const std::uint8_t> flags, std::size_t n) {
  check_size(name, flags.size(), n);
  if (const std::size_t i = first_bad_flag(flags); i < n) {
    fail("outcomes", fmt::format("{}[{}] is {}; expected 0 or 1", name, i, flags[i]));
  }
}

void check_class(std::string_view name, std::size_t row, std::int32_t value, std::int32_t classes,
                 std::string_view which) {
  if (value < 0 || (classes > 0 && value >= classes)) {
    const auto range = classes > 0 ? fmt::format("0 to {}", classes - 1) : "0 or more";
    fail("outcomes", fmt::format("{}[{}] is {}; expected {}, an index into the {} names", name, row,
                                 value, range, which));
  }
}

}  // namespace

void validate(const Outcomes& o) {
  const std::size_t n = o.size();
  if (n == 0) fail("outcomes", "no samples; expected at least one row");
  if (const std::size_t i = first_bad_side(o.side); i < n) {
    fail("outcomes",
         fmt::format("side[{}] is {}; expected 0 (base), 1 (new) or -1 (unknown)", i, o.side[i]));
  }
  check_size("score", o.score.size(), n);
  o.score.visit([n](const auto& r) {
    if (const std::size_t i = first_bad_score(r); i < n) {
      fail("outcomes", fmt::format("score[{}] is {}; scores must be finite", i,
                                   std::isnan(r[i]) ? "NaN"
                                   : r[i] > 0       ? "inf"
                                                    : "-inf"));
    }
  });
  check_flags("correct", o.correct, n);
  if (!o.overall_correct.empty()) check_flags("overall_correct", o.overall_correct, n);
  if (!o.label.empty()) {
    check_size("label", o.label.size(), n);
    for (std::size_t i = 0; i < n; ++i) {
      if (o.side[i] == 0) check_class("label", i, o.label[i], o.base_classes, "base");
      if (o.side[i] == 1) check_class("label", i, o.label[i], o.new_classes, "new");
    }
  }
  if (!o.predicted.empty()) {
    check_size("predicted", o.predicted.size(), n);
    for (std::size_t i = 0; i < n; ++i) {
      check_class("predicted", i, o.predicted[i], o.base_classes, "base");
    }
  }
}

}  // namespace openworld
