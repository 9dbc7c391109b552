// Run folders: what they hold, thresholds, and comparisons of them.

#include <pybind11/stl.h>

#include <nlohmann/json.hpp>

#include "bind.h"
#include "evaluate.h"
#include "guarantee.h"
#include "openworld/io/dump_line.h"
#include "openworld/report/runs_table.h"
#include "openworld/runs/run_folder.h"
#include "openworld/runs/run_threshold.h"
#include "openworld/runs/seed_list.h"
#include "openworld/runs/threshold_file.h"
#include "options.h"

namespace openworld::python {
namespace {

py::object stored_threshold(const std::string& folder) {
  const auto found = read_threshold({"open_run", RunFolder(folder).threshold_file()});
  if (!found) return py::none();
  py::dict d;
  d["value"] = found->value;
  d["max_miss_rate"] = found->max_miss;
  d["confidence"] = found->confidence;
  return d;
}

// (JSON, table)
py::tuple compare(const std::vector<std::string>& paths, const std::string& against,
                  const py::object& metrics, const EvalOptions& options) {
  constexpr auto kFunction = "compare_runs";
  const auto requests = metrics.is_none() ? find_metrics(kRunMetrics) : parse_metrics(metrics);
  const auto [json, text] = without_gil([&] {
    const RunCollection runs = open_runs(expand_run_folders(paths), kFunction);
    const std::size_t reference = against.empty() ? 0 : runs.find_label(against, kFunction);
    const MeasuredRuns measured = measure_runs(runs, requests, reference, options);
    return std::pair(dump_line(runs_json(runs, measured)), runs_text(runs, measured));
  });
  return py::make_tuple(json, text);
}

}  // namespace

void bind_runs(py::module_& m) {
  const py::arg folder("folder");
  m.def(
      "run_spec",
      [](const std::string& path) { return run_spec_text(RunFolder(path).spec("open_run"), -1); },
      folder);
  m.def(
      "run_result",
      [](const std::string& path) {
        RunFolder(path).expect_finished("open_run");
        return dump_line(run_result_json(RunFolder(path).result("open_run")));
      },
      folder);
  m.def(
      "run_is_finished", [](const std::string& path) { return RunFolder(path).is_finished(); },
      folder);
  m.def(
      "run_predictions",
      [](const std::string& path) {
        RunFolder(path).expect_whole({RunFile::kPredictions}, "open_run");
        return predictions_path(path, "open_run");
      },
      folder, "Where the predictions of a finished run are.");
  m.def("run_threshold", &stored_threshold, folder);
  m.def(
      "set_run_threshold",
      [](const std::string& path, double max_miss_rate, double confidence) {
        const MissLimit limit{.max_miss_rate = max_miss_rate, .confidence = confidence};
        return to_dict(
            without_gil([&] { return set_run_threshold(path, limit, "set_threshold"); }));
      },
      folder, py::arg("max_miss_rate"), py::arg("confidence"));
  m.def(
      "parse_seed_list",
      [](const std::string& text, const std::string& function) {
        return parse_seed_list(text, function);
      },
      py::arg("text"), py::arg("function"));
  m.def("compare_runs", &compare, py::arg("paths"), py::arg("against"), py::arg("metrics"),
        py::arg("options"));
}

}  // namespace openworld::python
