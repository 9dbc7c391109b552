#pragma once

// Results as JSON: one object per evaluation, schema "openworld.result/2".
//
//   {"schema": "openworld.result/2", "version": ..., "source": path,
//    "counts": {"base": n, "new": n, "unknown": n, "tied": n},
//    "metrics": {"openworld_auc": {"value": v, "interval": {"low":, "high":, "level":, "method":},
//                                  "higher_is_better": true, "sides": "base > new", ...}, ...},
//    "options": {...}, "meta": {...}}
//
// Values are fractions in [0, 1], except counts. An undefined metric is {"value": null, "why":
// ...}. The text depends on the inputs and options alone, not on the machine, the clock or the
// threads.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "openworld/io/json_file.h"
#include "openworld/metrics/evaluate.h"

namespace openworld {

inline constexpr const char* kResultSchema = "openworld.result/2";

struct ResultContext {
  std::string source{};           // where the predictions came from; left out when empty
  std::string meta{};             // JSON text stored with them; left out when empty
  std::int64_t tied_answers = 0;  // of Predictions
};

// Of the JSON that comes with predictions: every index of a large test set.
inline constexpr JsonLimits kMetaLimits{
    .bytes = std::size_t{1} << 28, .depth = 100, .values = std::size_t{1} << 24};

// Throws Error where `meta` is not JSON within the limits.
nlohmann::ordered_json result_object(const Evaluation& evaluation, const EvalOptions& options,
                                     const ResultContext& context = {});

// The same as compact text without a line break.
std::string result_json(const Evaluation& evaluation, const EvalOptions& options,
                        const ResultContext& context = {});

}  // namespace openworld
