#include "openworld/analysis/drc.h"

#include <pybind11/stl.h>

#include "bind.h"

namespace py = pybind11;

namespace openworld::python {

void bind_drc(py::module_& m) {
  m.def(
      "drc",
      [](const std::vector<double>& levels, const std::vector<double>& accuracies,
         const std::optional<std::vector<double>>& zero_shot,
         const std::optional<std::vector<std::pair<double, double>>>& density) {
        const DrcMetrics metrics = drc_metrics(levels, accuracies);
        py::dict d;
        d["acc0"] = metrics.acc0;
        d["auc"] = metrics.auc;
        d["wa"] = metrics.wa;
        d["evm"] = metrics.evm;
        d["vs"] = metrics.vs;
        d["pa"] = py::none();
        d["na"] = py::none();
        if (zero_shot) {
          const DrcAreas areas = drc_areas(levels, accuracies, *zero_shot);
          d["pa"] = areas.positive;
          d["na"] = areas.negative;
        }
        d["rcc"] = metrics.rcc;
        d["ea"] = py::none();
        if (density) {
          LevelDensity points;
          for (const auto& [level, weight] : *density) {
            points.levels.push_back(level);
            points.weights.push_back(weight);
          }
          d["ea"] = expected_accuracy(levels, accuracies, points);
        }
        return d;
      },
      py::arg("levels"), py::arg("accuracies"), py::arg("zero_shot"), py::arg("density"));
}

}  // namespace openworld::python
