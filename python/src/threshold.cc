#include "openworld/analysis/threshold.h"

#include <pybind11/stl.h>

#include "bind.h"
#include "evaluate.h"
#include "guarantee.h"
#include "openworld/predictions/predictions.h"

namespace openworld::python {
namespace {

// (count, total, value, low, high)
py::tuple to_tuple(const Share& share) {
  return py::make_tuple(share.count, share.total, share.value, share.interval.low,
                        share.interval.high);
}

py::object to_object(const std::optional<Share>& share) {
  return share ? py::object(to_tuple(*share)) : py::object(py::none());
}

}  // namespace

py::dict to_dict(const GuaranteedThreshold& found) {
  py::dict d;
  d["max_miss_rate"] = found.limit.max_miss_rate;
  d["confidence"] = found.limit.confidence;
  d["base"] = found.base;
  d["wrong"] = found.wrong;
  d["refusal"] = found.refusal;
  d["samples_needed"] = found.samples_needed;
  const bool granted = found.granted();
  d["threshold"] = granted ? py::object(py::float_(found.threshold)) : py::object(py::none());
  d["allowed_misses"] =
      granted ? py::object(py::int_(found.allowed_misses)) : py::object(py::none());
  d["miss"] = granted ? py::object(to_tuple(found.miss)) : py::object(py::none());
  d["hit"] = granted ? to_object(found.hit) : py::object(py::none());
  d["reject"] = granted ? to_object(found.reject) : py::object(py::none());
  return d;
}

void bind_threshold(py::module_& m) {
  const MissLimit defaults;
  m.attr("MAX_MISS_RATE") = defaults.max_miss_rate;
  m.attr("CONFIDENCE") = defaults.confidence;

  m.def(
      "guarantee_threshold",
      [](const Predictions& predictions, double max_miss_rate, double confidence) {
        const MissLimit limit{.max_miss_rate = max_miss_rate, .confidence = confidence};
        const GuaranteedThreshold found = without_gil([&] {
          const RankedScores ranked(predictions.outcomes());
          return guarantee_threshold(Ranking(ranked), limit);
        });
        return to_dict(found);
      },
      py::arg("predictions"), py::arg("max_miss_rate"), py::arg("confidence"));
}

}  // namespace openworld::python
