#include "openworld/base/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace openworld {
namespace {

char small(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Letters put in, left out, changed, or exchanged with their neighbour, regardless of case.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1), above(b.size() + 1), above_that(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  const auto same = [&](std::size_t i, std::size_t j) { return small(a[i]) == small(b[j]); };
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(above, above_that);
    std::swap(row, above);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + !same(i - 1, j - 1)});
      if (i > 1 && j > 1 && same(i - 1, j - 2) && same(i - 2, j - 1)) {
        row[j] = std::min(row[j], above_that[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

// Without what does not count.
std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    if (c == '-' || c == '_') continue;
    letters += small(c);
  }
  return letters;
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> known) {
  // Names may come from files: beyond these the table of distances takes too long.
  constexpr std::size_t kMostLetters = 100, kMostNames = 10'000;
  std::string_view nearest;
  std::size_t least = std::string_view::npos;
  if (name.size() > kMostLetters) return "";
  for (const std::string& other : known.first(std::min(known.size(), kMostNames))) {
    if (other.size() > kMostLetters) continue;
    const std::size_t distance = edit_distance(name, other);
    if (distance > std::max(name.size(), other.size()) / 2 || distance >= least) continue;
    least = distance;
    nearest = other;
  }
  return std::string(nearest);
}

std::string did_you_mean(std::string_view name, std::span<const std::string> known) {
  const std::string near = nearest_name(name, known);
  return near.empty() ? "" : fmt::format("did you mean {}? ", near);
}

std::string known_names(std::string_view name, std::span<const std::string> known) {
  const std::string near = did_you_mean(name, known);
  constexpr std::size_t kShown = 100;
  const std::size_t shown = std::min(known.size(), kShown);
  std::string list = fmt::format("{}{}here are {}", near, near.empty() ? 't' : 'T',
                                 fmt::join(known.first(shown), ", "));
  if (shown < known.size()) list += fmt::format(" and {} more", known.size() - shown);
  return list;
}

bool is_same_name(std::string_view a, std::string_view b) {
  return letters_of(a) == letters_of(b);
}

}  // namespace openworld
