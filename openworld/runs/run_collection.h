#pragma once

// Run folders side by side: which method, dataset and seed each is, and what it predicted.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/analysis/compare_runs.h"
#include "openworld/predictions/predictions.h"
#include "openworld/runs/run_folder.h"

namespace openworld {

struct CollectedRun {
  RunFolder folder;
  RunSpec spec;
  std::size_t label = 0;    // index into RunCollection::labels
  std::size_t dataset = 0;  // index into RunCollection::datasets
  Predictions predictions{};
};

struct RunCollection {
  // Zero-shot CLIP first, which others are compared with, then in order of first appearance. Where
  // runs of a label differ in shots or model, those are part of it.
  std::vector<std::string> labels;
  // Sorted, so that sums over them do not depend on the order of runs. Where one was tested on two
  // splits, those are part of its name.
  std::vector<std::string> datasets;
  std::vector<CollectedRun> runs;

  // The run of that cell. REQUIRES: there is one.
  const CollectedRun& find(std::size_t label, std::size_t dataset, std::uint64_t seed) const;

  // What is measured of them unless their user says otherwise: kOsrRunMetrics if all are of
  // open-set training, else kRunMetrics.
  const char* metrics() const;

  // Views that live as long as this object.
  RunSet views() const;

  // The index of a label. Throws Error as [function], naming the nearest.
  std::size_t find_label(const std::string& label, std::string_view function) const;
};

// Reads runs and their predictions. Throws Error as [function]; two runs of the same label, dataset
// and seed are refused.
RunCollection open_runs(const std::vector<std::string>& paths, std::string_view function);

}  // namespace openworld
