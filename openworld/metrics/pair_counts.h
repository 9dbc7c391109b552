#pragma once

// PairCounts: how many (base sample, other sample) pairs are ranked right, and how many tie, by the
// kinds of both. AUROC, OpenAUC, OSCR and OpenworldAUC, strict and with half ties, are all sums of
// these twelve integers, so one walk over the order serves them together.
//
// O(n) time, O(1) memory. Exact: 64-bit integers.

#include <array>
#include <cstdint>
#include <span>

#include "openworld/metrics/ranked_scores.h"

namespace openworld {

struct PairCounts {
  using Table = std::array<std::array<std::int64_t, kKinds>, 2>;

  // [kBaseWrong or kBaseRight][kNewWrong, kNewRight or kUnknownKind]; other columns are 0.
  Table wins{};  // pairs with r_base > r_other
  Table ties{};  // pairs with r_base = r_other
};

// Sums of the weights by kind.
KindCounts weigh_kinds(std::span<const std::uint8_t> codes, std::span<const std::uint8_t> weights);

// `codes` in ascending order of score; `weights` empty or one per code.
PairCounts count_pairs(std::span<const std::uint8_t> codes, std::span<const std::uint8_t> weights);

}  // namespace openworld
