#pragma once

// Predictions with the logits of both sides, as a model produces them; predictions.h defines the
// arrays.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "openworld/predictions/predictions.h"

namespace openworld {

struct LogitPredictions {
  std::vector<std::int8_t> side;                   // 0 base, 1 new, -1 unknown
  std::vector<std::int32_t> label;                 // index into the side's names
  std::span<const float> score;                    // r, one per sample
  std::span<const float> base_logits, new_logits;  // rows of base_classes and new_classes
  std::size_t base_classes = 0, new_classes = 0;
  std::vector<std::string> classes;  // base names, then new ones
  std::string meta;                  // JSON text; may be empty
};

// Sides and labels of samples with these labels in a list of names whose first `base` are base; -1
// is unknown.
void set_sides(LogitPredictions& predictions, std::span<const std::int32_t> labels,
               std::int32_t base);

// The same as Predictions, which are views of these arrays: what load_predictions reads from the
// file that save_logit_predictions writes. `path` is for messages. Throws Error. REQUIRES:
// `predictions` outlives the result.
Predictions view_predictions(const LogitPredictions& predictions, const std::string& path,
                             const std::string& function);

// Writes an .npz, whole or not at all; without new classes it has no new_logits. Throws Error.
void save_logit_predictions(const LogitPredictions& predictions, const std::string& path,
                            const std::string& function);

}  // namespace openworld
