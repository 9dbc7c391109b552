#include "openworld/analysis/compare.h"

#include <pybind11/stl.h>

#include "bind.h"
#include "evaluate.h"
#include "openworld/predictions/predictions.h"
#include "options.h"

namespace openworld::python {
namespace {

py::dict to_dict(const ComparedMetric& compared) {
  const bool defined = compared.a.defined() && compared.b.defined();
  py::dict d;
  d["name"] = compared.request.name;
  d["a"] = to_object(compared.a);
  d["b"] = to_object(compared.b);
  d["difference"] = defined ? py::object(py::float_(compared.difference)) : py::object(py::none());
  d["interval"] = to_object(compared.interval);
  d["p_value"] = compared.p_value;
  d["test"] = compared.test;
  d["why"] = !compared.a.defined()   ? compared.a.why
             : !compared.b.defined() ? compared.b.why
                                     : compared.why;
  d["higher_is_better"] = compared.request.row->info.higher_is_better;
  d["open"] =
      compared.open ? py::object(py::str(side_name(*compared.open))) : py::object(py::none());
  return d;
}

}  // namespace

void bind_compare(py::module_& m) {
  m.def(
      "compare",
      [](const Predictions& a, const Predictions& b, const py::object& metrics,
         const EvalOptions& options) {
        const auto requests = parse_metrics(metrics);
        const auto compared =
            without_gil([&] { return compare(a.outcomes(), b.outcomes(), requests, options); });
        py::list list;
        for (const ComparedMetric& metric : compared) list.append(to_dict(metric));
        return list;
      },
      py::arg("a"), py::arg("b"), py::arg("metrics"), py::arg("options"));

  m.def(
      "holm_adjust", [](const std::vector<double>& p_values) { return holm_adjust(p_values); },
      py::arg("p_values"));
}

}  // namespace openworld::python
