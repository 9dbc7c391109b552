#include "openworld/metrics/evaluate.h"

#include <pybind11/stl.h>

#include <nlohmann/json.hpp>

#include "bind.h"
#include "evaluate.h"
#include "openworld/io/dump_line.h"
#include "openworld/metrics/result_notes.h"
#include "openworld/predictions/predictions.h"
#include "openworld/predictions/result_json.h"
#include "options.h"

namespace openworld::python {
namespace {

py::dict metric_dict(const MetricResult& result) {
  const MetricRow& row = *result.request.row;
  py::dict d;
  d["name"] = result.request.name;
  d["title"] = metric_title(row.info, result.request.params);
  d["value"] = to_object(result.value);
  d["why"] = result.value.why;
  d["interval"] = to_object(result.interval);
  d["no_interval"] = result.no_interval;
  d["threshold"] = result.value.threshold ? py::object(py::float_(*result.value.threshold))
                                          : py::object(py::none());
  d["open"] = result.open ? py::object(py::str(side_name(*result.open))) : py::object(py::none());
  d["ties"] = result.ties ? py::object(py::str(ties_name(*result.ties))) : py::object(py::none());
  d["higher_is_better"] = row.info.higher_is_better;
  d["is_count"] = row.info.is_count;
  return d;
}

// What `openworld eval --json` prints of it.
std::string json_text(const Evaluation& evaluation, const EvalOptions& options,
                      const ResultContext& context) {
  using Json = nlohmann::ordered_json;
  Json json = result_object(evaluation, options, context);
  if (const std::string note = reversed_note(evaluation); !note.empty()) {
    json["warnings"] = Json::array({note});
  }
  return dump_line(json);
}

}  // namespace

py::object to_object(const MetricValue& value) {
  return value.defined() ? py::object(py::float_(value.value)) : py::object(py::none());
}

py::object to_object(const std::optional<Interval>& interval) {
  if (!interval) return py::none();
  return py::make_tuple(interval->low, interval->high, interval->level, interval->method);
}

py::dict to_dict(const Evaluation& evaluation, const EvalOptions& options,
                 const ResultContext& context) {
  py::dict counts;
  counts["base"] = evaluation.counts.base();
  counts["new"] = evaluation.counts.new_samples();
  counts["unknown"] = evaluation.counts.unknown();
  counts["tied"] = evaluation.tied;
  counts["tied_answers"] = context.tied_answers;
  py::list metrics;
  for (const MetricResult& result : evaluation.metrics) metrics.append(metric_dict(result));
  py::dict d;
  d["counts"] = counts;
  d["metrics"] = metrics;
  d["notes"] = result_notes(evaluation, context.tied_answers);
  d["json"] = json_text(evaluation, options, context);
  return d;
}

void bind_evaluate(py::module_& m) {
  m.def(
      "evaluate",
      [](const Predictions& predictions, const py::object& metrics, const EvalOptions& options) {
        const auto requests = parse_metrics(metrics);
        const Evaluation evaluation = without_gil([&] {
          const RankedScores ranked(predictions.outcomes(), keep_for(requests));
          return evaluate(ranked, requests, options);
        });
        return to_dict(evaluation, options,
                       {predictions.path, predictions.meta, predictions.tied_answers});
      },
      py::arg("predictions"), py::arg("metrics"), py::arg("options"),
      "The evaluation as a dict, with its result JSON.");
}

}  // namespace openworld::python
