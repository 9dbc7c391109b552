#include <pybind11/stl.h>

#include <nlohmann/json.hpp>

#include "bind.h"
#include "evaluate.h"
#include "openworld/io/dump_line.h"
#include "openworld/report/report_job.h"
#include "options.h"

namespace openworld::python {

void bind_report(py::module_& m) {
  const ReportPageOptions defaults;
  m.attr("REPORT_TITLE") = defaults.title;
  m.attr("REPORT_SAMPLES") = defaults.samples;

  m.def(
      "report",
      [](const std::vector<std::string>& paths, const std::string& out, const std::string& title,
         const std::string& against, std::size_t samples, const std::vector<std::string>& data,
         const std::string& image_root, const py::object& metrics, const EvalOptions& options) {
        ReportRequest request{.paths = paths, .out = out, .against = against};
        request.page = {.title = title, .samples = samples, .data = {data, image_root}};
        if (!metrics.is_none()) request.file_metrics = request.run_metrics = parse_metrics(metrics);
        request.options = options;
        return dump_line(report_json(without_gil([&] { return write_report(request); })));
      },
      py::arg("paths"), py::arg("out"), py::arg("title"), py::arg("against"), py::arg("samples"),
      py::arg("data"), py::arg("image_root"), py::arg("metrics"), py::arg("options"));
}

}  // namespace openworld::python
