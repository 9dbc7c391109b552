#include "openworld/analysis/sensitivity.h"

#include <pybind11/stl.h>

#include "bind.h"
#include "evaluate.h"
#include "openworld/predictions/predictions.h"
#include "options.h"

namespace openworld::python {
namespace {

py::dict by_metric(const SensitivityValues& values) {
  py::dict d;
  for (std::size_t i = 0; i < values.size(); ++i) {
    d[py::str(kSensitivityMetrics[i]->info.name)] = to_object(values[i]);
  }
  return d;
}

}  // namespace

void bind_sensitivity(py::module_& m) {
  m.attr("PAPER_RATIOS") = py::cast(kPaperRatios);

  m.def(
      "sensitivity",
      [](const Predictions& predictions, const std::vector<double>& ratios, bool relative,
         int repeats, std::uint64_t seed, const py::object& ties, std::optional<double> threshold) {
        const SensitivityOptions options{
            .ratios = ratios,
            .relative = relative,
            .repeats = repeats,
            .seed = seed,
            .metric = {.ties = parse_ties(ties, "sensitivity"), .threshold = threshold}};
        const Sensitivity result = without_gil([&] {
          const RankedScores ranked(predictions.outcomes(), RankedScores::Keep::kOrder);
          return ratio_sensitivity(ranked, options);
        });
        py::list rows;
        for (const SensitivityRow& row : result.rows) {
          py::dict d;
          d["ratio"] = row.ratio;
          d["base"] = row.base;
          d["new"] = row.new_side;
          d["values"] = by_metric(row.values);
          rows.append(d);
        }
        py::dict d;
        d["rows"] = rows;
        d["mean"] = by_metric(result.mean);
        d["variance"] = by_metric(result.variance);
        return d;
      },
      py::arg("predictions"), py::arg("ratios"), py::arg("relative"), py::arg("repeats"),
      py::arg("seed"), py::arg("ties"), py::arg("threshold"));
}

}  // namespace openworld::python
