#include "openworld/stats/seeds.h"

#include <pybind11/stl.h>

#include "bind.h"

namespace py = pybind11;

namespace openworld::python {

void bind_seeds(py::module_& m) {
  m.def(
      "summarize_seeds",
      [](const std::vector<double>& values, double level) {
        const SeedSummary summary = summarize_seeds(values, level);
        py::dict d;
        d["seeds"] = summary.seeds;
        d["mean"] = summary.mean;
        d["sd"] = summary.sd;
        d["standard_error"] = summary.standard_error;
        d["interval"] = py::none();
        if (summary.interval) {
          d["interval"] =
              py::make_tuple(summary.interval->low, summary.interval->high, summary.level, "t");
        }
        d["why"] = summary.undefined;
        return d;
      },
      py::arg("values"), py::arg("level"));
}

}  // namespace openworld::python
