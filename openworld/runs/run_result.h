#pragma once

// RunResult: what a finished run found and what it cost, result.json, written last; schema
// "openworld.tune/2". In /1, which is read too, the cost stands under the key "run".

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "openworld/base/option_list.h"
#include "openworld/io/origin.h"
#include "openworld/predictions/metric_record.h"

namespace openworld {

// Everything that may differ between two runs of the same spec; none where the file does not say.
struct TuningCost {
  std::optional<double> train_seconds{}, encode_seconds{}, text_seconds{}, score_seconds{};
  std::optional<double> seconds_per_image{}, seconds{}, peak_memory_bytes{};
  std::string version{};
};

// What was measured on one view of a scenario.
struct ViewResult {
  std::string world, level;
  std::optional<double> t{};  // the level where it is a number
  std::string file;           // its predictions, in the run folder
  std::int64_t base_classes = 0, new_classes = 0;
  std::int64_t base_images = 0, new_images = 0, unknown_images = 0;
  std::vector<MetricRecord> metrics{};
};

struct RunResult {
  std::string out;  // the folder it was written to
  std::string method, title;
  OptionValues changed;
  std::uint64_t seed = 0;
  std::string data;
  std::int64_t parameters = 0;
  std::int64_t train_images = 0, test_images = 0;
  std::int64_t epochs = 0, steps = 0;
  std::optional<double> loss{};            // of the last epoch
  std::vector<std::string> assumptions{};  // of the model, see RunModel
  std::vector<MetricRecord> metrics{};     // none in a run of a scenario, which has views
  std::vector<ViewResult> views{};
  // SHA-256 by name of the files that this result is of; empty in results of earlier versions.
  std::map<std::string, std::string> files{};
  TuningCost cost{};
};

// What is measured of a run unless its user says otherwise: what tables of prompt learners have.
inline constexpr const char* kRunMetrics = "base_acc,new_acc,hm,auroc,openworld_auc";

// The same of a run of open-set training, whose open samples are unknown.
inline constexpr const char* kOsrRunMetrics = "base_acc,auroc,open_auc,oscr";

// And of a view of a scenario: OpenPL's accuracy is that among all names.
inline constexpr const char* kViewMetrics = "overall_acc,base_acc,new_acc,hm,auroc,openworld_auc";

inline constexpr const char* kRunResultSchema = "openworld.tune/2";

nlohmann::ordered_json run_result_json(const RunResult& result);

// Throws Error.
RunResult read_run_result(const Origin& origin);

}  // namespace openworld
