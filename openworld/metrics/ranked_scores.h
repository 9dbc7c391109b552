#pragma once

// RankedScores: the samples sorted by score, once, for all ranking metrics.
//
// A sample becomes one byte: its kind (which side, right or wrong) and whether it is the last of a
// group of equal scores. The bytes stand in ascending order of r, and by kind within a group, base
// first, so every ranking metric, curve, variance and bootstrap resample is a linear walk over
// them.
//
// How: the score's bits are mapped to an unsigned key of the same order, and key and kind are
// packed into the narrowest word that holds both, which one SIMD sort puts in order. Float scores
// whose keys span less than 2^28 (all of [1e-9, 1], or [20, 35]) need 4 bytes a row, other
// floats 8. Doubles need 8 where their keys, without the gap between the signs, span less than 2^60
// (256 powers of two in all), else 16. A double array that holds only float values is sorted as
// floats. Nothing is rounded.
//
// Cost: one sort of n words. Memory kept: that word and one byte a row.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "openworld/base/buffer.h"
#include "openworld/base/sort.h"
#include "openworld/metrics/outcomes.h"

namespace openworld {

// The kinds of samples that ranking metrics distinguish.
enum Kind : std::uint8_t { kBaseWrong, kBaseRight, kNewWrong, kNewRight, kUnknownKind, kKinds };

// How many samples of each kind.
struct KindCounts {
  std::array<std::int64_t, kKinds> of{};

  std::int64_t base() const { return of[kBaseWrong] + of[kBaseRight]; }
  std::int64_t new_samples() const { return of[kNewWrong] + of[kNewRight]; }
  std::int64_t unknown() const { return of[kUnknownKind]; }
  std::int64_t open(Side side) const { return side == Side::kNew ? new_samples() : unknown(); }
  std::int64_t all() const { return base() + new_samples() + unknown(); }

  KindCounts& operator+=(const KindCounts& other) {
    for (std::size_t k = 0; k < of.size(); ++k) of[k] += other.of[k];
    return *this;
  }
  KindCounts& operator-=(const KindCounts& other) {
    for (std::size_t k = 0; k < of.size(); ++k) of[k] -= other.of[k];
    return *this;
  }
  bool operator==(const KindCounts&) const = default;
};

// Bits of a code.
inline constexpr std::uint8_t kKindMask = 0x07;      // its Kind
inline constexpr std::uint8_t kOverallRight = 0x08;  // right over base and new names together
inline constexpr std::uint8_t kLastOfTie = 0x80;     // the next sample has a larger score

// The keys of a set of doubles, closed up: the unused keys below the smallest and between the
// largest negative score and the smallest positive one are left out.
struct KeyRange {
  std::uint64_t lowest = 0;
  std::uint64_t positive = ~std::uint64_t{0};  // smallest key of the scores >= 0
  std::uint64_t gap = 0;                       // unused keys just below it
  std::uint64_t span = 0;                      // closed keys run from 0 to span

  std::uint64_t close(std::uint64_t key) const {
    return key - lowest - (key >= positive ? gap : 0);
  }
  std::uint64_t open(std::uint64_t closed) const {
    const std::uint64_t key = closed + lowest;
    return key >= positive - gap ? key + gap : key;
  }
};

class RankedScores {
 public:
  // What to keep besides the codes: nothing, or for each rank the row it came from (four to eight
  // bytes more), which metrics of classes and paired comparisons need.
  enum class Keep { kCodes, kOrder };

  // REQUIRES: validate(outcomes) holds. The outcomes' arrays need to outlive this object only when
  // the order is kept.
  explicit RankedScores(const Outcomes& outcomes, Keep keep = Keep::kCodes);

  std::size_t size() const { return codes_.size(); }
  std::span<const std::uint8_t> codes() const { return codes_.span(); }
  std::span<const std::uint32_t> order() const { return order_.span(); }
  const Outcomes& outcomes() const { return outcomes_; }
  const KindCounts& totals() const { return totals_; }

  // Samples that share their score with another sample.
  std::int64_t tied() const { return tied_; }
  bool has_overall() const { return has_overall_; }

  // The score at a rank; -0.0 reads as 0.0.
  double score(std::size_t rank) const;

 private:
  // The sorted words: key in the upper bits, below it the kind, below that the row when the order
  // is kept.
  struct Words32 {
    Buffer<std::uint32_t> words;
    std::uint32_t lowest;  // smallest key, taken off before packing
  };
  struct Words60 {  // the same for doubles
    Buffer<std::uint64_t> words;
    KeyRange range;
  };
  using Words64 = Buffer<std::uint64_t>;
  using Words128 = Buffer<Word128>;

  void rank(std::span<const float> scores, Keep keep);
  void rank(std::span<const double> scores, Keep keep);
  template <class Words, class Pack, class Unpack>
  void fill(Words& words, const Pack& pack_block, const Unpack& unpack_all);

  Outcomes outcomes_;
  Buffer<std::uint8_t> codes_;
  Buffer<std::uint32_t> order_;
  std::variant<Words32, Words60, Words64, Words128> words_;
  KindCounts totals_;
  std::int64_t tied_ = 0;
  bool has_overall_ = false;
};

}  // namespace openworld
