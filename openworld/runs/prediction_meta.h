#pragma once

// What predictions say about where they come from: the free JSON `meta` of a predictions file
// (predictions.h). The one writer and the one reader of what is ours in it.

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "openworld/predictions/predictions.h"
#include "openworld/runs/run_spec.h"
#include "openworld/worlds/dataset.h"

namespace openworld {

// The images that were measured.
struct DataSummary {
  std::string path, format, split, root;
  std::size_t classes = 0;
  std::size_t images = 0;
  std::size_t skipped = 0;           // images that could not be read
  std::size_t not_images = 0;        // files passed over
  std::vector<std::size_t> samples;  // of the dataset, where not all were measured
};

DataSummary data_summary(const Dataset& dataset, const std::string& path, std::size_t images,
                         std::size_t skipped);

nlohmann::ordered_json data_summary_json(const DataSummary& data);

// {"path":, "format":, "sha256":, "activation":, "assumptions": [sentences]}
nlohmann::ordered_json model_summary_json(const RunModel& model);

// Meta of the predictions of a run, in one line.
std::string prediction_meta(const RunSpec& spec, const DataSummary& data);

// The view of a scenario that predictions are of.
struct ViewSummary {
  std::string world, level;
  std::optional<double> t;
};

// Meta of the predictions of a view, in one line. REQUIRES: the spec has a scenario.
std::string view_meta(const RunSpec& spec, const ViewSummary& view);

// Which samples of its dataset predictions are of, by row; empty: all of them, or not said. Throws
// Error for a list that holds something else than numbers.
std::vector<std::size_t> tested_samples(const Predictions& predictions, const Origin& origin);

}  // namespace openworld
