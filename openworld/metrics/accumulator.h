#pragma once

// Accumulator: outcomes that arrive in batches, or from several workers, evaluated exactly.
//
// Keeps side, score and flag of every sample (6 bytes for float scores, 10 once a double arrives),
// because ranking metrics are not sums over batches. Merging accumulators and evaluating gives the
// same bits as one accumulator that saw every batch, in any order.

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "openworld/metrics/evaluate.h"

namespace openworld {

class Accumulator {
 public:
  // Appends a batch. Optional arrays must come with every batch or with none. Throws Error, and
  // then nothing of the batch is kept.
  void update(const Outcomes& batch);

  // Appends what `other` holds.
  void merge(const Accumulator& other);

  void reset();

  std::size_t size() const { return side_.size(); }

  // A view of everything so far; valid until the next update, merge or reset.
  Outcomes outcomes() const;

  // Throws Error when nothing has been added.
  Evaluation compute(std::span<const MetricRequest> requests,
                     const EvalOptions& options = {}) const;

 private:
  std::vector<std::int8_t> side_;
  std::variant<std::vector<float>, std::vector<double>> score_;
  std::vector<std::uint8_t> correct_;
  std::vector<std::uint8_t> overall_correct_;
  std::vector<std::int32_t> label_;
  std::vector<std::int32_t> predicted_;
  std::int32_t base_classes_ = 0;
  std::int32_t new_classes_ = 0;
};

}  // namespace openworld
