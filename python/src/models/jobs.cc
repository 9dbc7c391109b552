// Zero-shot classification and tuning.

#include <pybind11/stl.h>

#include <nlohmann/json.hpp>

#include "bind.h"
#include "keywords.h"
#include "openworld/io/dump_line.h"
#include "openworld/tuning/keyword_request.h"
#include "openworld/tuning/zero_shot_job.h"
#include "watch.h"

namespace openworld::python {
namespace {

std::string zeroshot(const ModelSpec& model, const std::string& data, const Keywords& keywords,
                     const py::object& reporter) {
  ZeroShotRequestOptions options;
  set_keywords(options, keywords, "zeroshot");
  ZeroShotRequest request = options.fields;
  request.model = model;
  request.data.path = data;
  Watch watch(reporter);
  const Observer observer = watch.observer();
  return dump_line(zero_shot_json(watch.run([&] { return run_zero_shot(request, observer); })));
}

// `runs`: seeds and folders.
std::size_t tune(const std::string& method, const ModelSpec& model, const std::string& data,
                 const std::vector<std::pair<std::uint64_t, std::string>>& runs,
                 const Keywords& keywords, const py::object& reporter) {
  TuningRequest request = keyword_request(method, to_options(keywords));
  request.model = model;
  request.data.path = data;
  for (const auto& [seed, folder] : runs) request.runs.push_back({seed, folder});
  Watch watch(reporter);
  const TuningObserver observer = watch.observer();
  return watch.run([&] { return run_tuning(request, observer).size(); });
}

}  // namespace

void bind_jobs(py::module_& m) {
  m.def("zeroshot", &zeroshot, py::arg("model"), py::arg("data"), py::arg("keywords"),
        py::arg("reporter"), "The result as JSON.");
  m.def("tune", &tune, py::arg("method"), py::arg("model"), py::arg("data"), py::arg("runs"),
        py::arg("keywords"), py::arg("reporter"), "The number of runs that are finished.");
}

}  // namespace openworld::python
