#pragma once

// What scenarios draw and how they round, in one place.
//
// Each draw is a whole permutation from a stream of base/random.h that is named by what is
// permuted, not by the level or by other datasets: a level takes a prefix of it, and a further look
// or target changes nothing for the others.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace openworld {

// What is permuted. The values are part of a scenario's version.
enum class Draw : std::uint64_t {
  kClasses = 1,        // the classes of the source into base and new
  kThinning = 2,       // the images of a class; `which` is its label
  kSourceClasses = 3,  // the source classes that take turns with a target's
  kTargetClasses = 4,
  kSourceImages = 5,  // the pool of source images that are mixed with others
  kOtherImages = 6,   // the pool of images of a look or a target
};

// The numbers 0 ... n-1 in random order: shuffle() with Random(seed, draw * 2^32 + which).
std::vector<std::uint32_t> permutation(std::size_t n, std::uint64_t seed, Draw draw,
                                       std::uint32_t which = 0);

// The first `count` of that permutation, in ascending order. REQUIRES: count <= n.
std::vector<std::uint32_t> prefix(std::size_t n, std::size_t count, std::uint64_t seed, Draw draw,
                                  std::uint32_t which = 0);

// floor(t n + 1/2), as if t were the decimal number that it is written as. REQUIRES: 0 <= t <= 1.
std::size_t rounded_share(double t, std::size_t n);

// "0,0.2,1" as numbers from `low` to `high`. Throws Error as [function] for anything else, for none
// at all and for one twice.
std::vector<double> parse_levels(const std::string& text, double low, double high,
                                 std::string_view function);

// The same for levels of time, which grow from 0 to 1.
std::vector<double> parse_times(const std::string& text, std::string_view function);

// "0.2": the shortest text that gives the number.
std::string level_text(double level);

inline constexpr const char* kTimes = "0,0.2,0.4,0.6,0.8,1";  // OpenPL's

}  // namespace openworld
