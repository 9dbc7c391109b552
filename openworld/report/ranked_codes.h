#pragma once

// The scores of a run as a page stores them, so that its script counts exactly what every threshold
// gives: samples in order of falling score, four bits each, and the score at some of the ranks.
//
//   bits 0-2   0 base and right, 1 base and wrong, 2 new and right, 3 new and wrong, 4 unknown
//   bit 3      the score is equal to the one before
//
// Two bits each where no sample is unknown and no two scores are equal. So 5,000 samples take 1.25
// or 2.5 kB and their scores 4 bytes each; web/decode.mjs reads it.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "openworld/metrics/outcomes.h"

namespace openworld {

struct RankedCodes {
  std::size_t samples = 0;
  int bits = 4;                     // of a sample, 2 or 4
  std::vector<std::uint8_t> codes;  // the first sample of a byte in the low bits
  // Of every rank where there is room, else at evenly spaced ranks with both ends.
  std::vector<float> values;
  std::vector<std::uint32_t> rank;  // by row: the samples with a larger score
  // Samples above the threshold with the largest difference of HitRate (RejectRate where no sample
  // is new) and MissRate, the highest such threshold.
  std::size_t best = 0;
};

// REQUIRES: valid outcomes, max_values >= 2.
RankedCodes rank_codes(const Outcomes& outcomes, std::size_t max_values);

// Samples with a score above `threshold`.
std::size_t count_above(const Outcomes& outcomes, double threshold);

}  // namespace openworld
