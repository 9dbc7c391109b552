#include "openworld/metrics/outcomes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "openworld/base/error.h"
#include "openworld/base/simd.h"

namespace openworld {
namespace {

// The first row that is not ok, or values.size(). Blocks are tested whole: a loop without an early
// exit is vectorised, and the usual answer is that all is well.
template <class T, class Ok>
inline __attribute__((always_inline)) std::size_t first_bad(std::span<const T> values, Ok ok) {
  constexpr std::size_t kBlock = 4096;
  for (std::size_t begin = 0; begin < values.size(); begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, values.size());
    bool all_ok = true;
    for (std::size_t i = begin; i < end; ++i) all_ok &= ok(values[i]);
    if (all_ok) continue;
    while (ok(values[begin])) ++begin;
    return begin;
  }
  return values.size();
}

OPENWORLD_SIMD std::size_t first_bad_side(std::span<const std::int8_t> side) {
  return first_bad(side, [](std::int8_t s) { return s >= -1 && s <= 1; });
}

OPENWORLD_SIMD std::size_t first_bad_flag(std::span<const std::uint8_t> flags) {
  return first_bad(flags, [](std::uint8_t f) { return f <= 1; });
}

OPENWORLD_SIMD std::size_t first_bad_score(std::span<const float> scores) {
  return first_bad(scores, [](float r) { return r - r == 0; });
}

OPENWORLD_SIMD std::size_t first_bad_score(std::span<const double> scores) {
  return first_bad(scores, [](double r) { return r - r == 0; });
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
