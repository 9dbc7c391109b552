#include "openworld/metrics/pair_counts.h"

#include <algorithm>
#include <cstring>

#include "openworld/base/simd.h"

namespace openworld {
namespace {

// One lane per kind of the other side, and one to spare.
template <class T>
using Lanes __attribute__((vector_size(4 * sizeof(T)))) = T;

// What a sample of a kind does: `on` in its lane as an other sample, or in every lane of the base
// counter that it feeds (wrong, right).
template <class T>
struct Role {
  Lanes<T> other;
  Lanes<T> base[2];
};

template <class T, int on>
constexpr Role<T> kRoles[8] = {
    {{}, {{on, on, on, on}, {}}},  // kBaseWrong
    {{}, {{}, {on, on, on, on}}},  // kBaseRight
    {{on, 0, 0, 0}, {}},           // kNewWrong
    {{0, on, 0, 0}, {}},           // kNewRight
    {{0, 0, on, 0}, {}},           // kUnknownKind
};

template <class T>
struct Walk {
  Lanes<T> wins[2] = {};
  Lanes<T> ties[2] = {};
  Lanes<T> below = {};     // other samples with a smaller score
  Lanes<T> group[2] = {};  // base samples of the current group

  void flush(PairCounts& counts) {
    for (int right = 0; right < 2; ++right) {
      for (int lane = 0; lane < 3; ++lane) {
        counts.wins[right][kNewWrong + lane] += static_cast<std::int64_t>(wins[right][lane]);
        counts.ties[right][kNewWrong + lane] += static_cast<std::int64_t>(ties[right][lane]);
      }
      wins[right] = ties[right] = Lanes<T>{};
    }
  }
};

// No branch on kinds or ties, which cannot be predicted. Base samples come first in a group, so at
// a base sample `below` holds the others with a strictly smaller score, and at an other sample
// `group` holds every base sample it ties with.
OPENWORLD_SIMD void walk_once(std::span<const std::uint8_t> codes, Walk<std::int64_t>& state) {
  Walk<std::int64_t> s = state;
  for (const std::uint8_t code : codes) {
    const auto& role = kRoles<std::int64_t, -1>[code & kKindMask];
    const std::int64_t more = (code >> 7) - 1;  // zero at the last of a group, else all ones
    for (int right = 0; right < 2; ++right) {
      s.wins[right] += s.below & role.base[right];
      s.ties[right] += s.group[right] & role.other;
      s.group[right] = (s.group[right] - role.base[right]) & more;
    }
    s.below -= role.other;
  }
  state = s;
}

// The same with weights, in doubles: they multiply faster than 64-bit integers, and are exact as
// long as the sums stay below 2^53, which flushing every kFlush samples ensures.
constexpr std::size_t kFlush = std::size_t{1} << 16;

template <bool kTies>
inline __attribute__((always_inline)) void step(Walk<double>& s, std::uint8_t code, double weight) {
  const auto& role = kRoles<double, 1>[code & kKindMask];
  const Lanes<double> other = role.other * weight;
  for (int right = 0; right < 2; ++right) {
    const Lanes<double> base = role.base[right] * weight;
    s.wins[right] += s.below * base;
    if constexpr (kTies) {
      const double more = code & kLastOfTie ? 0 : 1;
      s.ties[right] += s.group[right] * other;
      s.group[right] = (s.group[right] + base) * more;
    }
  }
  s.below += other;
}

// Eight samples whose scores are all distinct, from each other and from their neighbours, need no
// counting of ties, which is half of the work; eight flags are one 64-bit test.
OPENWORLD_SIMD void walk_weighted(std::span<const std::uint8_t> codes, const std::uint8_t* weights,
                                  Walk<double>& state) {
  constexpr std::uint64_t kAllLast = 0x8080808080808080u;
  Walk<double> s = state;
  std::size_t i = 0;
  bool in_group = true;  // the caller may have cut a group
  for (; i + 8 <= codes.size(); i += 8) {
    std::uint64_t flags;
    std::memcpy(&flags, &codes[i], 8);
    if (!in_group && (flags & kAllLast) == kAllLast) {
      for (std::size_t k = i; k < i + 8; ++k) step<false>(s, codes[k], weights[k]);
    } else {
      for (std::size_t k = i; k < i + 8; ++k) step<true>(s, codes[k], weights[k]);
      in_group = !(codes[i + 7] & kLastOfTie);
    }
  }
  for (; i < codes.size(); ++i) step<true>(s, codes[i], weights[i]);
  state = s;
}

}  // namespace

PairCounts count_pairs(std::span<const std::uint8_t> codes, std::span<const std::uint8_t> weights) {
  PairCounts counts;
  if (weights.empty()) {
    Walk<std::int64_t> walk;
    walk_once(codes, walk);
    walk.flush(counts);
    return counts;
  }
  Walk<double> walk;
  for (std::size_t begin = 0; begin < codes.size(); begin += kFlush) {
    const std::size_t n = std::min(kFlush, codes.size() - begin);
    walk_weighted(codes.subspan(begin, n), weights.data() + begin, walk);
    walk.flush(counts);
  }
  return counts;
}

}  // namespace openworld
