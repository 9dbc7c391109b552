#pragma once

// Text features of a forest of any size in bounded memory.
//
// The read-outs are dealt into chunks of neighbours, each a forest of its own whose shared prefix
// is computed once more. In training, chunks keep what their backward pass needs while the budget
// lasts; the others forget it and are computed again when their gradient arrives (Chen et al.,
// 2016). Without gradients a chunk forgets everything but its features.

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "openworld/vlm/text_forest.h"
#include "openworld/vlm/text_tower.h"

namespace openworld {

struct TextMemory {
  // For what is kept from forward to backward and from step to step, beside the weights.
  std::int64_t mib = 1024;
};

// Features of one forest, as often as its learnable rows change. REQUIRES: the tower outlives it
// and every graph that it made.
class TextEncoder {
 public:
  TextEncoder(const TextTower& tower, const TextForest& forest, TextMemory memory = {});

  // [read-outs of the forest, embed], not normalised; differentiable in `learnable`
  // [>= learnable_rows(), d], and in the tower's weights where they require it, for which every
  // chunk keeps its graph. `on_progress` hears how many read-outs are done.
  at::Tensor features(const at::Tensor& learnable = {},
                      const std::function<void(std::size_t done)>& on_progress = {});

  std::int64_t learnable_rows() const { return learnable_rows_; }
  std::size_t chunks() const { return chunks_.size(); }

  // Chunks that are computed again in the backward pass.
  std::size_t recomputed_chunks() const;

 private:
  struct Chunk;

  void share_budget(std::int64_t budget);

  const TextTower* tower_;
  std::int64_t learnable_rows_ = 0;
  std::vector<std::shared_ptr<Chunk>> chunks_;
  at::Tensor order_;  // from the order of chunks to that of the read-outs; undefined: the same
};

}  // namespace openworld
