#pragma once

// The samples of an open-set test as a prediction file, which every command that takes predictions
// reads: true positives are base samples, open-set errors unknown ones, and r is one uncertainty.
//
// Besides the arrays of predictions.h it has `image`, the image that each row came from, and
// `images`, how many there were: with these a later test on the same images can be paired with it.
// `meta` has the protocol, the measure, and as `result` the whole result of the test
// (open_set_json.h), so that a page can be made of the file alone.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "openworld/analysis/image_ranking.h"
#include "openworld/openset/open_set_json.h"
#include "openworld/predictions/predictions.h"

namespace openworld {

// Results above that length are left out of `meta`: the efficacies of about a million queries.
inline constexpr std::size_t kMostResultBytes = std::size_t{1} << 26;

// Writes the test with all queries, under measure number `measure`, atomically. `result` is what
// open_set_json says of it. Throws Error.
void save_open_set_predictions(const OpenSetScores& scores, std::size_t measure,
                               std::span<const std::int32_t> label,
                               std::span<const std::string> names,
                               const nlohmann::ordered_json& result, const std::string& path);

// What predictions say about the open-set test that they are of.
struct OpenSetOrigin {
  std::string protocol;  // of open_set_protocol.h
  std::string measure;   // the uncertainty that the scores are
  // The whole result. None in files of detectors, and in those of before it was stored.
  std::optional<StoredOpenSet> result{};
  std::size_t measure_at = 0;  // of `measure` in the result
};

// Nothing for predictions that are not of an open-set test. Throws Error for a result that cannot
// be read, or that is not of these rows: its counts or measures differ.
std::optional<OpenSetOrigin> open_set_origin(const Predictions& predictions);

// What save_open_set_predictions wrote. Throws Error, also where the file is of other images:
// their number or a label differs.
ImageRanking load_open_set_predictions(const std::string& path,
                                       std::span<const std::int32_t> label);

}  // namespace openworld
