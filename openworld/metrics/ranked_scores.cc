#include "openworld/metrics/ranked_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "openworld/base/error.h"
#include "openworld/base/simd.h"

namespace openworld {
namespace {

// What is packed below the key: kind and the overall flag in four bits, kind on top so that equal
// scores are ordered by kind; then, when the order is kept, the row.
constexpr int kNibbleBits = 4;
constexpr int kRowBits = 28;
constexpr std::uint32_t kRowMask = (1u << kRowBits) - 1;
constexpr std::size_t kBlock = 4096;  // rows per inner loop: fits the first-level cache

std::uint8_t code_of(std::uint32_t nibble) {
  return static_cast<std::uint8_t>(nibble >> 1 | (nibble & 1) << 3);
}

// An unsigned integer with the order of the score: negative floats reversed, -0.0 as 0.0.
std::uint32_t key_of(float score) {
  const auto bits = std::bit_cast<std::uint32_t>(score + 0.0f);
  return bits ^ (static_cast<std::uint32_t>(static_cast<std::int32_t>(bits) >> 31) | 0x80000000u);
}

std::uint64_t key_of(double score) {
  const auto bits = std::bit_cast<std::uint64_t>(score + 0.0);
  return bits ^ (static_cast<std::uint64_t>(static_cast<std::int64_t>(bits) >> 63) | 1ull << 63);
}

float score_of(std::uint32_t key) {
  return std::bit_cast<float>(key & 0x80000000u ? key ^ 0x80000000u : ~key);
}

double score_of(std::uint64_t key) {
  return std::bit_cast<double>(key >> 63 ? key ^ (1ull << 63) : ~key);
}

OPENWORLD_SIMD bool all_are_floats(std::span<const double> scores) {
  for (std::size_t begin = 0; begin < scores.size(); begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, scores.size());
    int differs = 0;
    for (std::size_t i = begin; i < end; ++i) {
      differs |= static_cast<double>(static_cast<float>(scores[i])) != scores[i];
    }
    if (differs) return false;
  }
  return true;
}

OPENWORLD_SIMD void key_range(std::span<const float> scores, std::uint32_t& lowest,
                              std::uint32_t& highest) {
  std::uint32_t low = ~0u, high = 0;
  for (const float score : scores) {
    const std::uint32_t key = key_of(score);
    low = std::min(low, key);
    high = std::max(high, key);
  }
  lowest = low;
  highest = high;
}

KeyRange key_range(std::span<const double> scores) {
  const std::uint64_t zero = key_of(0.0);
  std::uint64_t lowest = ~std::uint64_t{0}, highest = 0, positive = lowest, negative = 0;
  for (const double score : scores) {
    const std::uint64_t key = key_of(score);
    lowest = std::min(lowest, key);
    highest = std::max(highest, key);
    if (key >= zero) {
      positive = std::min(positive, key);
    } else {
      negative = std::max(negative, key);
    }
  }
  KeyRange range{.lowest = lowest};
  if (lowest < zero && highest >= zero) {
    range.positive = positive;
    range.gap = positive - negative - 1;
  }
  range.span = range.close(highest);
  return range;
}

// The packed kinds of rows [begin, begin + n).
OPENWORLD_SIMD void nibbles_of(const Outcomes& o, std::size_t begin, std::size_t n,
                               std::uint8_t* nibbles) {
  const std::int8_t* side = o.side.data() + begin;
  const std::uint8_t* correct = o.correct.data() + begin;
  for (std::size_t i = 0; i < n; ++i) {
    const auto known = static_cast<std::uint8_t>(2 * side[i] + correct[i]);
    nibbles[i] = static_cast<std::uint8_t>(2 * (side[i] < 0 ? std::uint8_t{kUnknownKind} : known));
  }
  if (o.overall_correct.empty()) return;
  const std::uint8_t* overall = o.overall_correct.data() + begin;
  for (std::size_t i = 0; i < n; ++i) nibbles[i] |= overall[i];
}

OPENWORLD_SIMD void pack(const float* scores, const std::uint8_t* nibbles, std::size_t n,
                         std::uint32_t lowest, std::uint32_t* words) {
  for (std::size_t i = 0; i < n; ++i) {
    words[i] = (key_of(scores[i]) - lowest) << kNibbleBits | nibbles[i];
  }
}

OPENWORLD_SIMD void pack(const double* scores, const std::uint8_t* nibbles, std::size_t n,
                         const KeyRange& range, std::uint64_t* words) {
  for (std::size_t i = 0; i < n; ++i) {
    words[i] = range.close(key_of(scores[i])) << kNibbleBits | nibbles[i];
  }
}

OPENWORLD_SIMD void pack_with_rows(const float* scores, const std::uint8_t* nibbles, std::size_t n,
                                   std::size_t first_row, std::uint64_t* words) {
  for (std::size_t i = 0; i < n; ++i) {
    words[i] = std::uint64_t{key_of(scores[i])} << 32 | std::uint64_t{nibbles[i]} << kRowBits |
               (first_row + i);
  }
}

void pack_with_rows(const double* scores, const std::uint8_t* nibbles, std::size_t n,
                    std::size_t first_row, Word128* words) {
  for (std::size_t i = 0; i < n; ++i) {
    words[i] = {std::uint64_t{nibbles[i]} << kRowBits | (first_row + i), key_of(scores[i])};
  }
}

// Codes from sorted words that hold a key and a nibble.
template <class Word>
inline __attribute__((always_inline)) void unpack_nibbles(std::span<const Word> w,
                                                          std::uint8_t* codes) {
  const std::size_t last = w.size() - 1;
  for (std::size_t i = 0; i < last; ++i) {
    const bool tied = w[i] >> kNibbleBits == w[i + 1] >> kNibbleBits;
    codes[i] = static_cast<std::uint8_t>(code_of(w[i] & 0xf) | (tied ? 0 : kLastOfTie));
  }
  codes[last] = code_of(w[last] & 0xf) | kLastOfTie;
}

OPENWORLD_SIMD void unpack_narrow(std::span<const std::uint32_t> w, std::uint8_t* codes) {
  unpack_nibbles(w, codes);
}

OPENWORLD_SIMD void unpack_narrow(std::span<const std::uint64_t> w, std::uint8_t* codes) {
  unpack_nibbles(w, codes);
}

// Codes from sorted words that hold a key, a nibble and a row.
OPENWORLD_SIMD void unpack(std::span<const std::uint64_t> w, std::uint8_t* codes) {
  const std::size_t last = w.size() - 1;
  for (std::size_t i = 0; i < last; ++i) {
    const auto nibble = static_cast<std::uint32_t>(w[i]) >> kRowBits;
    const bool tied = w[i] >> 32 == w[i + 1] >> 32;
    codes[i] = static_cast<std::uint8_t>(code_of(nibble) | (tied ? 0 : kLastOfTie));
  }
  codes[last] = code_of(static_cast<std::uint32_t>(w[last]) >> kRowBits) | kLastOfTie;
}

void unpack(std::span<const Word128> w, std::uint8_t* codes) {
  const std::size_t last = w.size() - 1;
  for (std::size_t i = 0; i < last; ++i) {
    const auto nibble = static_cast<std::uint32_t>(w[i].low) >> kRowBits;
    const bool tied = w[i].high == w[i + 1].high;
    codes[i] = static_cast<std::uint8_t>(code_of(nibble) | (tied ? 0 : kLastOfTie));
  }
  codes[last] = code_of(static_cast<std::uint32_t>(w[last].low) >> kRowBits) | kLastOfTie;
}

// How a block of rows is packed: closed keys with nibbles, or keys with nibbles and rows.
template <class Score, class Range, class Words>
auto pack_from(std::span<const Score> scores, Range range, Words& words) {
  return [=, &words](std::size_t begin, const std::uint8_t* nibbles, std::size_t n) {
    pack(&scores[begin], nibbles, n, range, &words[begin]);
  };
}

template <class Score, class Words>
auto pack_rows(std::span<const Score> scores, Words& words) {
  return [=, &words](std::size_t begin, const std::uint8_t* nibbles, std::size_t n) {
    pack_with_rows(&scores[begin], nibbles, n, begin, &words[begin]);
  };
}

constexpr auto kUnpackNarrow = [](auto words, std::uint8_t* codes) { unpack_narrow(words, codes); };
constexpr auto kUnpackRows = [](auto words, std::uint8_t* codes) { unpack(words, codes); };

// Kinds and samples that are alone in their group, counted in bytes that cannot overflow.
OPENWORLD_SIMD void count(std::span<const std::uint8_t> codes, KindCounts& kinds,
                          std::int64_t& alone) {
  constexpr std::size_t kBytes = 224;  // whole vectors, and no sum beyond 255
  std::uint8_t previous = kLastOfTie;
  for (std::size_t begin = 0; begin < codes.size(); begin += kBytes) {
    const std::size_t n = std::min(kBytes, codes.size() - begin);
    const std::uint8_t* block = codes.data() + begin;
    for (std::uint8_t kind = 0; kind < kKinds; ++kind) {
      std::uint8_t sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += (block[i] & kKindMask) == kind;
      kinds.of[kind] += sum;
    }
    std::uint8_t sum = (block[0] & previous) >> 7;
    for (std::size_t i = 1; i < n; ++i) sum += (block[i] & block[i - 1]) >> 7;
    alone += sum;
    previous = block[n - 1];
  }
}

}  // namespace

RankedScores::RankedScores(const Outcomes& outcomes, Keep keep)
    : outcomes_(outcomes),
      codes_(outcomes.size()),
      order_(keep == Keep::kOrder ? outcomes.size() : 0),
      has_overall_(!outcomes.overall_correct.empty()) {
  if (size() == 0) fail("ranked_scores", "no samples; expected at least one");
  if (size() > kRowMask) {
    fail("ranked_scores", fmt::format("{} samples; expected at most {}", size(), kRowMask));
  }
  outcomes.score.visit([&](const auto& scores) { rank(scores, keep); });
  std::int64_t alone = 0;
  count(codes(), totals_, alone);
  tied_ = static_cast<std::int64_t>(size()) - alone;
  if (keep == Keep::kCodes) {
    outcomes_ = {};
    outcomes_.base_classes = outcomes.base_classes;
    outcomes_.new_classes = outcomes.new_classes;
  }
}

// Fills `words` block by block from the scores and the packed kinds.
template <class Words, class Pack, class Unpack>
void RankedScores::fill(Words& words, const Pack& pack_block, const Unpack& unpack_all) {
  std::uint8_t nibbles[kBlock];
  for (std::size_t begin = 0; begin < words.size(); begin += kBlock) {
    const std::size_t n = std::min(kBlock, words.size() - begin);
    nibbles_of(outcomes_, begin, n, nibbles);
    pack_block(begin, nibbles, n);
  }
  sort_words(words.span());
  unpack_all(std::as_const(words).span(), codes_.data());
}

void RankedScores::rank(std::span<const float> scores, Keep keep) {
  std::uint32_t lowest = 0, highest = 0;
  key_range(scores, lowest, highest);
  if (keep == Keep::kCodes && highest - lowest < 1u << (32 - kNibbleBits)) {
    auto& words = words_.emplace<Words32>(Words32{Buffer<std::uint32_t>(size()), lowest}).words;
    fill(words, pack_from(scores, lowest, words), kUnpackNarrow);
    return;
  }
  auto& words = words_.emplace<Words64>(size());
  fill(words, pack_rows(scores, words), kUnpackRows);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    order_[i] = static_cast<std::uint32_t>(words[i]) & kRowMask;
  }
}

void RankedScores::rank(std::span<const double> scores, Keep keep) {
  if (all_are_floats(scores)) {
    Buffer<float> narrow(scores.size());
    std::copy(scores.begin(), scores.end(), narrow.data());
    return rank(std::as_const(narrow).span(), keep);
  }
  const KeyRange range = key_range(scores);
  if (keep == Keep::kCodes && range.span < 1ull << (64 - kNibbleBits)) {
    auto& words = words_.emplace<Words60>(Words60{Buffer<std::uint64_t>(size()), range}).words;
    fill(words, pack_from(scores, range, words), kUnpackNarrow);
    return;
  }
  auto& words = words_.emplace<Words128>(size());
  fill(words, pack_rows(scores, words), kUnpackRows);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    order_[i] = static_cast<std::uint32_t>(words[i].low) & kRowMask;
  }
}

double RankedScores::score(std::size_t i) const {
  if (const auto* w = std::get_if<Words32>(&words_)) {
    return score_of((w->words[i] >> kNibbleBits) + w->lowest);
  }
  if (const auto* w = std::get_if<Words60>(&words_)) {
    return score_of(w->range.open(w->words[i] >> kNibbleBits));
  }
  if (const auto* w = std::get_if<Words64>(&words_)) {
    return score_of(static_cast<std::uint32_t>((*w)[i] >> 32));
  }
  return score_of(std::get<Words128>(words_)[i].high);
}

}  // namespace openworld
