#pragma once

// What a reader of `openworld eval` should know beside the numbers.

#include <cstdint>
#include <string>
#include <vector>

#include "openworld/metrics/evaluate.h"

namespace openworld {

// Which metrics compare base samples with new ones and which with unknown ones, where the file has
// both; empty otherwise.
std::string sides_note(const Evaluation& evaluation);

// That AUROC is below a half beyond chance: the score may be reversed. Empty if not.
std::string reversed_note(const Evaluation& evaluation);

// That answers are ties of logits, of which the first name counts. Empty if there are none.
std::string ties_note(std::int64_t tied_answers);

}  // namespace openworld
