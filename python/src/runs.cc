// Run folders: what they hold, thresholds, and comparisons of them.

#include <pybind11/stl.h>

#include <nlohmann/json.hpp>

#include "bind.h"
#include "evaluate.h"
#include "fs_text.h"
#include "guarantee.h"
#include "openworld/io/atomic_file.h"
#include "openworld/io/dump_line.h"
#include "openworld/report/runs_table.h"
#include "openworld/runs/answer.h"
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
  d["max_miss"] = found->max_miss;
  d["confidence"] = found->confidence;
  d["unknown"] = py::none();
  if (found->unknown) {
    py::dict unknown;
    unknown["value"] = found->unknown->value;
    unknown["max_unknown"] = found->unknown->max_unknown;
    unknown["confidence"] = found->unknown->confidence;
    d["unknown"] = unknown;
  }
  return d;
}

// Answers of openworld.Answer's fields.
std::vector<Answer> to_answers(const std::vector<py::dict>& dicts) {
  const auto text = [](const py::object& name) {
    return name.is_none() ? std::string() : name.cast<std::string>();
  };
  std::vector<Answer> answers;
  for (const py::dict& d : dicts) {
    const auto side = d["side"].cast<std::string>();
    const py::object new_probability = d["new_probability"];
    answers.push_back(
        {.path = from_path(py::object(d["path"])),
         .side = side == "base"  ? Side::kBase
                 : side == "new" ? Side::kNew
                                 : Side::kUnknown,
         .r = d["r"].cast<double>(),
         .fit = d["fit"].cast<double>(),
         .base_class = text(d["base_class"]),
         .new_class = text(d["new_class"]),
         .base_probability = d["base_probability"].cast<double>(),
         .new_probability = new_probability.is_none() ? 0 : new_probability.cast<double>()});
  }
  return answers;
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
      [](const std::string& path, double max_miss, double confidence,
         const std::optional<double>& max_unknown, std::int64_t next, std::vector<double> unknown_r,
         std::vector<double> unknown_fit) {
        ThresholdRequest request = threshold_request(max_miss, confidence, max_unknown, next);
        request.unknown = {std::move(unknown_r), std::move(unknown_fit)};
        return to_dict(
            without_gil([&] { return set_run_threshold(path, request, "set_threshold"); }));
      },
      folder, py::arg("max_miss"), py::arg("confidence"), py::arg("max_unknown").none(true),
      py::arg("next"), py::arg("unknown_r"), py::arg("unknown_fit"));
  m.def(
      "write_answers_csv",
      [](const std::vector<py::dict>& answers, const std::string& path) {
        write_file_atomically(path, answers_csv(to_answers(answers)), "to_csv");
      },
      py::arg("answers"), py::arg("path"));
  m.def(
      "write_answers_json_lines",
      [](const std::vector<py::dict>& answers, const std::string& path) {
        std::string text;
        for (const Answer& answer : to_answers(answers)) {
          text += dump_line(answer_json(answer)) + "\n";
        }
        write_file_atomically(path, text, "to_jsonl");
      },
      py::arg("answers"), py::arg("path"));
  m.def(
      "sort_images",
      [](const std::vector<py::dict>& answers, const std::string& out, bool copy) {
        sort_images(to_answers(answers), out, copy ? SortedAs::kCopies : SortedAs::kLinks,
                    "sort_into");
      },
      py::arg("answers"), py::arg("folder"), py::arg("copy"));
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
