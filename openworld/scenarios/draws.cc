#include "openworld/scenarios/draws.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <numeric>

#include "openworld/base/error.h"
#include "openworld/base/quotes.h"
#include "openworld/base/random.h"
#include "openworld/base/trimmed.h"

namespace openworld {
std::vector<std::uint32_t> permutation(std::size_t n, std::uint64_t seed, Draw draw,
                                       std::uint32_t which) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  Random random(seed, static_cast<std::uint64_t>(draw) << 32 | which);
  shuffle(order, random);
  return order;
}

std::vector<std::uint32_t> prefix(std::size_t n, std::size_t count, std::uint64_t seed, Draw draw,
                                  std::uint32_t which) {
  assert(count <= n);
  std::vector<std::uint32_t> chosen = permutation(n, seed, draw, which);
  chosen.resize(count);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::size_t rounded_share(double t, std::size_t n) {
  assert(t >= 0 && t <= 1);
  // A hair more, because 0.35 * 10 is below 3.5 for no reason that a user could see.
  return static_cast<std::size_t>(std::floor(t * static_cast<double>(n) + 0.5 + 1e-9));
}

std::vector<double> parse_levels(const std::string& text, double low, double high,
                                 std::string_view function) {
  std::vector<double> levels;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view item = trimmed(std::string_view(text).substr(begin, end - begin));
    double level = 0;
    const auto [stop, error] = std::from_chars(item.data(), item.data() + item.size(), level);
    if (error != std::errc() || stop != item.data() + item.size() || !std::isfinite(level) ||
        level < low || level > high) {
      fail(function, fmt::format("level {} of {}; expected numbers from {:g} to {:g} with commas "
                                 "between them",
                                 in_quotes(item), in_quotes(text), low, high));
    }
    if (std::find(levels.begin(), levels.end(), level) != levels.end()) {
      fail(function, fmt::format("level {} twice in {}; expected it once", item, in_quotes(text)));
    }
    levels.push_back(level);
    begin = end + 1;
  }
  return levels;
}

std::vector<double> parse_times(const std::string& text, std::string_view function) {
  const std::vector<double> times = parse_levels(text, 0, 1, function);
  if (std::is_sorted(times.begin(), times.end())) return times;
  fail(function,
       fmt::format("levels {} are not in order; expected the smallest first", in_quotes(text)));
}

std::string level_text(double level) {
  return fmt::format("{}", level);
}

}  // namespace openworld
