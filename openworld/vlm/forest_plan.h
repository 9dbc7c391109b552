#pragma once

// A text forest, or some of its read-outs, as flat arrays in the order in which they are computed.
//
// Rows of a layout: first the frozen ones, then the live ones, each in depth-first order, so that
// an unbranched stretch of the forest is a run of consecutive rows and a path is a few such runs.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "openworld/vlm/text_forest.h"

namespace openworld {

// Rows [begin, begin + count) of a layout.
struct RowRange {
  std::int32_t begin = 0;
  std::int32_t count = 0;
};

// Consecutive queries that see the same keys, the i-th `first_seen + i` of them, in the order of
// `ranges`.
struct QueryGroup {
  std::int32_t first_query = 0;
  std::int32_t queries = 0;
  std::int32_t first_seen = 0;
  std::int32_t first_range = 0;  // into AttentionPlan::ranges
  std::int32_t ranges = 0;
  std::int64_t weights = 0;  // offset of its attention weights, in units of heads

  std::int32_t keys() const { return first_seen + queries - 1; }
};

struct AttentionPlan {
  std::vector<QueryGroup> groups;
  std::vector<RowRange> ranges;
  std::int64_t queries = 0;
  std::int64_t weights = 0;  // attention weights of all groups, per head

  void add(std::int32_t queries_in_group, std::int32_t first_seen, std::span<const RowRange> keys);
};

struct ForestLayout {
  std::int32_t frozen = 0;  // rows [0, frozen) depend on nothing learnable
  std::int32_t rows = 0;
  AttentionPlan frozen_attention;  // queries are rows [0, frozen)
  AttentionPlan live_attention;    // queries are rows [frozen, rows)

  std::int32_t live() const { return rows - frozen; }
};

// The blocks from first_block up to the next stage's run on one layout.
struct ForestStage {
  std::int32_t first_block = 0;
  ForestLayout layout;
  // Per row, its state at the input of first_block: ~r is learnable row r. Otherwise, in the first
  // stage, a token id, and in later ones a row of the layout before.
  std::vector<std::int32_t> source;
};

struct ForestPlan {
  std::vector<ForestStage> stages;
  std::vector<std::int32_t> position;  // per row of the first stage; -1: none is added
  std::int32_t learnable_rows = 0;     // one more than the largest learnable row used

  // The last block computes only these rows of the last layout. Read-outs keep their order within
  // each part; `feature[i]` is which of the plan's read-outs the i-th of (frozen, then live) is.
  std::vector<std::int32_t> frozen_readouts;
  std::vector<std::int32_t> live_readouts;
  std::vector<std::int64_t> feature;
  AttentionPlan frozen_readout_attention;
  AttentionPlan live_readout_attention;
};

// The plan of the given read-outs (indices into forest.readouts()). With all_live no row counts as
// frozen, as weight gradients need it.
ForestPlan plan_forest(const TextForest& forest, std::span<const std::size_t> readouts,
                       bool all_live);

}  // namespace openworld
