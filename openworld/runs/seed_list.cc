#include "openworld/runs/seed_list.h"

#include <fmt/format.h>

#include <charconv>
#include <unordered_set>

#include "openworld/base/error.h"

namespace openworld {

std::vector<std::uint64_t> parse_seed_list(const std::string& text, std::string_view function) {
  constexpr std::uint64_t kMost = 10'000;
  std::vector<std::uint64_t> seeds;
  std::unordered_set<std::uint64_t> seen;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [&](std::uint64_t& value) {
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc()) return false;
    at = stop;
    return true;
  };
  for (bool more = true; more;) {
    std::uint64_t first = 0, last = 0;
    bool right = number(first);
    last = first;
    if (right && at != end && *at == '-') right = ++at != end && number(last);
    if (!right || last < first || last - first >= kMost || (at != end && *at != ',')) {
      fail(function, fmt::format("seeds are '{}'; expected seeds such as 1-3 or 1,2,5", text));
    }
    if (last - first >= kMost - seeds.size()) {
      fail(function, fmt::format("seeds are '{}'; expected at most {}", text, kMost));
    }
    for (std::uint64_t seed = first; seed <= last; ++seed) {
      if (!seen.insert(seed).second) {
        fail(function,
             fmt::format("seeds are '{}'; expected each seed once, {} is there twice", text, seed));
      }
      seeds.push_back(seed);
      if (seed == last) break;  // the largest number has no successor
    }
    more = at != end;
    if (more) ++at;
  }
  return seeds;
}

}  // namespace openworld
