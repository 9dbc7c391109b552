#include "openworld/studies/cell_eval.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "openworld/base/error.h"
#include "openworld/metrics/evaluate.h"
#include "openworld/metrics/table.h"
#include "openworld/predictions/metric_record.h"
#include "openworld/predictions/predictions.h"

namespace openworld {
namespace {

using View = std::pair<std::string, std::string>;  // world and level

// In the order of their first values.
std::vector<View> views_of(const CellResult& result) {
  std::vector<View> views;
  for (const CellValue& value : result.values) {
    const View view(value.world, value.level);
    if (std::find(views.begin(), views.end(), view) == views.end()) views.push_back(view);
  }
  return views;
}

std::vector<std::string> prediction_files(const CellResult& result) {
  std::vector<std::string> names;
  for (const CellFile& file : result.files) {
    if (file.name.ends_with(".npz")) names.push_back(file.name);
  }
  return names;
}

std::vector<MetricRequest> requests_of(const CellResult& result, const View& view,
                                       const std::string& metrics) {
  if (!metrics.empty()) return find_metrics(metrics);
  std::vector<MetricRequest> requests;
  for (const CellValue& value : result.values) {
    if (View(value.world, value.level) == view) requests.push_back(find_metric(value.metric));
  }
  return requests;
}

}  // namespace

std::vector<CellValue> evaluate_cell(const std::string& folder, const CellResult& result,
                                     const std::string& metrics, std::string_view function) {
  const std::vector<View> views = views_of(result);
  const std::vector<std::string> files = prediction_files(result);
  if (views.empty() || views.size() != files.size()) {
    fail(function, fmt::format("{}: {} .npz files for the values of {} views; expected one each",
                               folder, files.size(), views.size()));
  }
  const EvalOptions options{.ci = Ci::kNone};
  std::vector<CellValue> values;
  for (std::size_t i = 0; i < views.size(); ++i) {
    const Predictions predictions = load_predictions(folder + "/" + files[i]);
    const auto requests = requests_of(result, views[i], metrics);
    for (const MetricResult& measured :
         evaluate(predictions.outcomes(), requests, options).metrics) {
      const MetricRecord record = metric_record(measured, options);
      values.push_back({views[i].first, views[i].second, record.name, record.value});
    }
  }
  return values;
}

EvalSummary evaluate_study(
    StudyStore& store, const WorkOptions& options, const std::string& metrics,
    const std::function<void(const StudyCell&, const std::string& error)>& failed) {
  if (!metrics.empty()) find_metrics(metrics);
  EvalSummary summary;
  for (std::size_t i = 0; i < store.cells().size(); ++i) {
    const StudyCell& cell = store.cells()[i];
    if (!is_chosen(options, cell, i)) continue;
    // Hashes are compared: the values are to be those of these very predictions.
    const CellStatus status = store.status_without_lease(cell, true);
    if (status.state != CellState::kDone) continue;
    try {
      std::vector<CellValue> values =
          evaluate_cell(store.cell_folder(cell), *status.result, metrics, "study");
      ++summary.evaluated;
      if (values == status.result->values) continue;
      store.write_values(cell, *status.result, std::move(values));
      ++summary.changed;
    } catch (const Error& error) {
      ++summary.failed;
      failed(cell, error.what());
    }
  }
  return summary;
}

}  // namespace openworld
