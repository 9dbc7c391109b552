#pragma once

// What a reader of a table of metrics should know beside the numbers: a line each, without its line
// break, and "" where there is nothing to say. For `openworld eval` and `compare`, for runs,
// reports and Python.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "openworld/metrics/evaluate.h"

namespace openworld {

// The side that a metric compares with base under `options`, on samples of these sides; none where
// it compares nothing with base.
std::optional<Side> compared_side(const MetricRequest& request, std::span<const std::int8_t> side,
                                  const EvalOptions& options);

// Which metrics compare base samples with new ones and which with unknown ones, where there are
// samples of both sides.
std::string sides_note(const Evaluation& evaluation);
std::string sides_note(std::span<const MetricRequest> requests, std::span<const std::int8_t> side,
                       const EvalOptions& options);

// That AUROC is below a half beyond chance, so that the score may be reversed. Without an interval
// it has to be far below.
std::string reversed_note(double auroc, const std::optional<Interval>& interval);
std::string reversed_note(const Evaluation& evaluation);

// That answers are ties of logits, of which the first name counts.
std::string ties_note(std::int64_t tied_answers);

// All of them that have something to say.
std::vector<std::string> result_notes(const Evaluation& evaluation, std::int64_t tied_answers);

}  // namespace openworld
