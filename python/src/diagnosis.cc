#include "openworld/analysis/diagnosis.h"

#include <pybind11/stl.h>

#include "bind.h"
#include "evaluate.h"
#include "openworld/predictions/predictions.h"
#include "options.h"

namespace openworld::python {
namespace {

py::dict by_stage(const std::array<double, kStages>& values) {
  py::dict d;
  d["base"] = values[kStageBase];
  d["new"] = values[kStageNew];
  d["rank"] = values[kStageRank];
  return d;
}

}  // namespace

void bind_diagnosis(py::module_& m) {
  m.def(
      "diagnose",
      [](const Predictions& predictions, const py::object& ties) {
        const MetricOptions options{.ties = parse_ties(ties, "diagnose")};
        const Diagnosis diagnosis = without_gil([&] {
          const RankedScores ranked(predictions.outcomes());
          return diagnose(Ranking(ranked), options);
        });
        py::dict d;
        d["openworld_auc"] = to_object(diagnosis.openworld_auc);
        d["why"] = diagnosis.openworld_auc.why;
        d["base_acc"] = to_object(diagnosis.base_acc);
        d["new_acc"] = to_object(diagnosis.new_acc);
        d["ranked_given_right"] = to_object(diagnosis.ranked_given_right);
        d["cost"] = by_stage(diagnosis.cost);
        d["if_perfect"] = by_stage(diagnosis.if_perfect);
        return d;
      },
      py::arg("predictions"), py::arg("ties"));
}

}  // namespace openworld::python
