#pragma once

// A test set as a page shows it, from the predictions of the runs on it.

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "openworld/predictions/predictions.h"
#include "openworld/report/page_data.h"

namespace openworld {

struct TestedRun {
  std::size_t method = 0;  // of the page
  std::uint64_t seed = 0;
  const Predictions* predictions = nullptr;
  std::optional<double> threshold{};  // that was set for the run
};

struct TestedGroup {
  std::string name;
  // In the order of methods, each with the same seeds; the samples are those of all of them.
  std::vector<TestedRun> runs;
  std::vector<std::string> classes;                   // where the predictions name none
  std::function<std::string(std::size_t)> picture{};  // of a row, "" or a data: URI; may be empty
  std::string no_pictures{};
};

struct GroupLimits {
  std::size_t samples = 24;      // shown with the answers of every method
  std::size_t values = 1 << 15;  // scores stored of each run
  std::size_t confusions = 30;   // of each method, the most frequent
  std::size_t losses = 200;      // points of each run
};

// Throws Error if predictions cannot be read again. REQUIRES: a run.
PageGroup make_group(const TestedGroup& tested, const GroupLimits& limits);

// `count` rows for the page: of every way in which the first and the last method end with a sample
// at their best thresholds, and of both sides, in turn and evenly over the rows.
std::vector<std::size_t> choose_rows(const Outcomes& first, const RankedCodes& first_ranked,
                                     const Outcomes& last, const RankedCodes& last_ranked,
                                     std::size_t count);

}  // namespace openworld
