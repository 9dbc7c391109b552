#include "openworld/metrics/pair_counts.h"

#include <algorithm>
#include <array>
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
// long as the sums stay below 2^53, which counting kFlush samples at a time ensures.
constexpr std::size_t kFlush = std::size_t{1} << 16;

// A weight in every lane, by table: converting and spreading a byte would take three instructions.
constexpr auto kWeights = [] {
  std::array<std::array<double, 4>, 256> table{};
  for (std::size_t w = 0; w < table.size(); ++w) table[w].fill(static_cast<double>(w));
  return table;
}();

// The value in the lanes where the mask is all ones, zero elsewhere.
#define OPENWORLD_KEEP(value, mask) ((Lanes<double>)((Lanes<std::int64_t>)(value) & (mask)))

template <bool kTies>
inline __attribute__((always_inline)) void step(Walk<double>& s, std::uint8_t code,
                                                std::uint8_t count) {
  const auto& role = kRoles<std::int64_t, -1>[code & kKindMask];
  Lanes<double> weight;
  std::memcpy(&weight, &kWeights[count], sizeof weight);
  const Lanes<double> other = OPENWORLD_KEEP(weight, role.other);
  const Lanes<double> won = s.below * weight;
  for (int right = 0; right < 2; ++right) {
    s.wins[right] += OPENWORLD_KEEP(won, role.base[right]);
    if constexpr (kTies) {
      const double more = code & kLastOfTie ? 0 : 1;
      s.ties[right] += s.group[right] * other;
      s.group[right] = (s.group[right] + OPENWORLD_KEEP(weight, role.base[right])) * more;
    }
  }
  s.below += other;
}
#undef OPENWORLD_KEEP

// Eight samples whose scores are all distinct, from each other and from their neighbours, need no
// counting of ties, which is half of the work; eight flags are one 64-bit test.
inline __attribute__((always_inline)) void step_eight(Walk<double>& s, const std::uint8_t* codes,
                                                      const std::uint8_t* weights, bool& in_group) {
  constexpr std::uint64_t kAllLast = 0x8080808080808080u;
  std::uint64_t flags;
  std::memcpy(&flags, codes, 8);
  if (!in_group && (flags & kAllLast) == kAllLast) {
    for (int k = 0; k < 8; ++k) step<false>(s, codes[k], weights[k]);
  } else {
    for (int k = 0; k < 8; ++k) step<true>(s, codes[k], weights[k]);
    in_group = !(codes[7] & kLastOfTie);
  }
}

// A stretch of the order, walked as if nothing came before it.
struct Stretch {
  std::span<const std::uint8_t> codes;
  const std::uint8_t* weights;
  Walk<double> walk{};
  bool in_group = true;  // makes the first eight samples count ties, which is always right
};

// Two stretches side by side: a step waits for the one before it, but not for the other stretch's.
OPENWORLD_SIMD void walk_both(Stretch& a, Stretch& b) {
  Walk<double> first = a.walk, second = b.walk;
  const std::size_t both = std::min(a.codes.size(), b.codes.size()) / 8 * 8;
  for (std::size_t i = 0; i < both; i += 8) {
    step_eight(first, &a.codes[i], a.weights + i, a.in_group);
    step_eight(second, &b.codes[i], b.weights + i, b.in_group);
  }
  for (std::size_t i = both; i < a.codes.size(); ++i) step<true>(first, a.codes[i], a.weights[i]);
  for (std::size_t i = both; i < b.codes.size(); ++i) step<true>(second, b.codes[i], b.weights[i]);
  a.walk = first;
  b.walk = second;
}

// Sums of weights by kind, 32 samples at a time: bytes of the kind are kept by a mask and added as
// 16-bit pairs, which 128 rounds of two bytes cannot overflow.
OPENWORLD_SIMD void sum_kinds(const std::uint8_t* codes, const std::uint8_t* weights, std::size_t n,
                              std::int64_t* sums) {
  constexpr std::size_t kWide = 32, kRounds = 128;
  using Bytes __attribute__((vector_size(kWide))) = std::uint8_t;
  using Pairs __attribute__((vector_size(kWide))) = std::uint16_t;
  std::size_t i = 0;
  while (i + kWide <= n) {
    const std::size_t end = std::min(n - kWide + 1, i + kWide * kRounds);
    Pairs partial[kKinds] = {};
    for (; i < end; i += kWide) {
      Bytes code, weight;
      std::memcpy(&code, codes + i, kWide);
      std::memcpy(&weight, weights + i, kWide);
      code &= kKindMask;
      for (std::uint8_t kind = 0; kind < kKinds; ++kind) {
        const Pairs kept = (Pairs)(weight & (Bytes)(code == kind));
        partial[kind] += (kept & 0xff) + (kept >> 8);
      }
    }
    for (int kind = 0; kind < kKinds; ++kind) {
      for (std::size_t lane = 0; lane < kWide / 2; ++lane) sums[kind] += partial[kind][lane];
    }
  }
  for (; i < n; ++i) sums[codes[i] & kKindMask] += weights[i];
}

}  // namespace

KindCounts weigh_kinds(std::span<const std::uint8_t> codes, std::span<const std::uint8_t> weights) {
  KindCounts counts;
  sum_kinds(codes.data(), weights.data(), codes.size(), counts.of.data());
  return counts;
}

PairCounts count_pairs(std::span<const std::uint8_t> codes, std::span<const std::uint8_t> weights) {
  PairCounts counts;
  if (weights.empty()) {
    Walk<std::int64_t> walk;
    walk_once(codes, walk);
    walk.flush(counts);
    return counts;
  }
  // Pieces of at most kFlush samples, each cut at the end of a group into two halves; what lies
  // below a half is added to its wins afterwards.
  KindCounts below;
  const auto end_of_group = [&](std::size_t at) {
    while (at < codes.size() && at > 0 && !(codes[at - 1] & kLastOfTie)) ++at;
    return at;
  };
  for (std::size_t begin = 0; begin < codes.size();) {
    const std::size_t size = std::min(kFlush, codes.size() - begin);
    const std::size_t end = end_of_group(begin + size);
    const std::size_t middle = std::min(end, end_of_group(begin + size / 2));
    Stretch halves[2] = {{codes.subspan(begin, middle - begin), weights.data() + begin},
                         {codes.subspan(middle, end - middle), weights.data() + middle}};
    walk_both(halves[0], halves[1]);
    for (Stretch& half : halves) {
      half.walk.flush(counts);
      const KindCounts here = weigh_kinds(half.codes, {half.weights, half.codes.size()});
      for (const int base : {kBaseWrong, kBaseRight}) {
        for (const int other : {kNewWrong, kNewRight, kUnknownKind}) {
          counts.wins[base][other] += here.of[base] * below.of[other];
        }
      }
      below += here;
    }
    begin = end;
  }
  return counts;
}

}  // namespace openworld
