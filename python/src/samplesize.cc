#include <pybind11/stl.h>

#include "bind.h"
#include "evaluate.h"
#include "openworld/analysis/sample_size.h"
#include "openworld/predictions/predictions.h"
#include "options.h"

namespace openworld::python {
namespace {

py::dict to_dict(const PlannedStudy& study) {
  py::dict d;
  d["base"] = study.size.base;
  d["open"] = study.size.other;
  d["seeds"] = study.size.seeds;
  d["half_width"] = study.half_width;
  d["range"] = py::make_tuple(study.range.low, study.range.high);
  return d;
}

py::dict to_dict(const VarianceComponents& pilot) {
  py::dict d;
  d["base"] = pilot.base.shared;
  d["open"] = pilot.other.shared;
  d["base_own"] = pilot.base.own;
  d["open_own"] = pilot.other.own;
  d["pairs"] = pilot.pairs;
  d["seed"] = pilot.seeds > 1 ? py::object(py::float_(pilot.seed)) : py::object(py::none());
  d["between_seeds"] =
      pilot.seeds > 1 ? py::object(py::float_(pilot.between)) : py::object(py::none());
  return d;
}

std::vector<std::string> names_of(const std::vector<const Predictions*>& runs) {
  std::vector<std::string> names;
  for (const Predictions* run : runs) {
    names.push_back(run->path.empty() ? "pilot[" + std::to_string(names.size()) + "]" : run->path);
  }
  return names;
}

}  // namespace

void bind_samplesize(py::module_& m) {
  m.def(
      "samplesize",
      [](const std::vector<const Predictions*>& runs, const std::string& metric, double half_width,
         double level, std::optional<double> ratio, std::optional<std::int64_t> base,
         std::optional<std::int64_t> other, std::optional<std::size_t> seeds,
         const py::object& ties, const py::object& open) {
        const EvalOptions options{.ties = parse_ties(ties, "samplesize"),
                                  .open = parse_open(open, "samplesize")};
        const SampleSizeRequest request{.half_width = half_width,
                                        .level = level,
                                        .ratio = ratio,
                                        .base = base,
                                        .other = other,
                                        .seeds = seeds};
        const MetricRequest wanted = find_metric(metric);
        const auto [pilot, result] = without_gil([&] {
          std::vector<Outcomes> outcomes;
          for (const Predictions* run : runs) outcomes.push_back(run->outcomes());
          VarianceComponents components =
              variance_components(outcomes, names_of(runs), wanted, options);
          SampleSize solved = sample_size(components, request);
          return std::pair(std::move(components), std::move(solved));
        });
        py::dict d;
        d["metric"] = pilot.request.name;
        d["open"] = side_name(pilot.open);
        d["value"] = pilot.value;
        d["level"] = level;
        d["components"] = to_dict(pilot);
        d["pilot"] = to_dict(result.pilot);
        d["plan"] = to_dict(result.plan);
        d["cheapest"] = result.cheapest ? py::object(to_dict(*result.cheapest)) : py::none();
        py::list by_seeds;
        for (const PlannedStudy& study : result.by_seeds) by_seeds.append(to_dict(study));
        d["by_seeds"] = by_seeds;
        return d;
      },
      py::arg("runs"), py::arg("metric"), py::arg("half_width"), py::arg("level"), py::arg("ratio"),
      py::arg("base"), py::arg("open_samples"), py::arg("seeds"), py::arg("ties"), py::arg("open"));
}

}  // namespace openworld::python
