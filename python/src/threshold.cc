// Thresholds with guarantees.

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "arrays.h"
#include "bind.h"
#include "evaluate.h"
#include "guarantee.h"
#include "openworld/predictions/derive.h"

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

py::object to_object(const std::optional<BatchPromise>& next) {
  return next ? py::object(py::make_tuple(next->samples, next->most)) : py::object(py::none());
}

template <class T>
py::object if_granted(bool granted, const T& value) {
  return granted ? py::cast(value) : py::object(py::none());
}

py::dict counts_dict(const AnswerCounts& counts) {
  py::dict d;
  d["base"] = counts.base;
  d["new"] = counts.new_side;
  d["unknown"] = counts.unknown;
  return d;
}

py::dict unknown_dict(const UnknownThreshold& found) {
  const bool granted = found.granted();
  py::dict d, answers;
  answers["base"] = counts_dict(found.of_base);
  answers["new"] = counts_dict(found.of_new);
  answers["unknown"] = counts_dict(found.of_unknown);
  d["max_unknown"] = found.limit.max_unknown;
  d["confidence"] = found.limit.confidence;
  d["listed"] = found.listed;
  d["refusal"] = found.refusal;
  d["samples_needed"] = found.samples_needed;
  d["threshold"] = if_granted(granted, found.threshold);
  d["allowed"] = if_granted(granted, found.allowed);
  d["unfit"] = granted ? py::object(to_tuple(found.unfit)) : py::object(py::none());
  d["kept_out"] = to_object(found.kept_out);
  d["answers"] = granted ? py::object(answers) : py::object(py::none());
  d["next"] = to_object(found.next);
  return d;
}

py::dict guarantee(const Predictions& predictions, double max_miss, double confidence,
                   const std::optional<double>& max_unknown, const py::object& fit,
                   std::int64_t next) {
  constexpr auto kFunction = "threshold";
  const ThresholdRequest request = threshold_request(max_miss, confidence, max_unknown, next);
  const auto column = to_float_column(fit, "fit", {kFunction, ""});
  const std::vector<double> fits = column ? to_doubles(*column) : std::vector<double>();
  const std::string source = predictions.path.empty() ? "arrays" : predictions.path;
  return to_dict(without_gil(
      [&] { return choose_thresholds(predictions, fits, request, source, kFunction); }));
}

}  // namespace

ThresholdRequest threshold_request(double max_miss, double confidence,
                                   const std::optional<double>& max_unknown, std::int64_t next) {
  return {.limit = {.max_miss = max_miss, .confidence = confidence},
          .max_unknown = max_unknown,
          .next = next};
}

py::dict to_dict(const ChosenThresholds& chosen) {
  const GuaranteedThreshold& found = chosen.base;
  const bool granted = found.granted();
  py::dict d;
  d["max_miss"] = found.limit.max_miss;
  d["confidence"] = found.limit.confidence;
  d["base"] = found.base;
  d["wrong"] = found.wrong;
  d["refusal"] = found.refusal;
  d["samples_needed"] = found.samples_needed;
  d["threshold"] = if_granted(granted, found.threshold);
  d["allowed_misses"] = if_granted(granted, found.allowed_misses);
  d["miss"] = granted ? py::object(to_tuple(found.miss)) : py::object(py::none());
  d["hit"] = granted ? to_object(found.hit) : py::object(py::none());
  d["reject"] = granted ? to_object(found.reject) : py::object(py::none());
  d["next"] = to_object(found.next);
  d["unknown"] =
      chosen.unknown ? py::object(unknown_dict(*chosen.unknown)) : py::object(py::none());
  return d;
}

void bind_threshold(py::module_& m) {
  const MissLimit defaults;
  m.attr("MAX_MISS") = defaults.max_miss;
  m.attr("CONFIDENCE") = defaults.confidence;

  m.def("guarantee_threshold", &guarantee, py::arg("predictions"), py::arg("max_miss"),
        py::arg("confidence"), py::arg("max_unknown").none(true), py::arg("fit"), py::arg("next"));
  m.def(
      "load_fit",
      [](const std::string& path) { return to_array(without_gil([&] { return load_fit(path); })); },
      py::arg("path"));
  m.def(
      "name_fit",
      [](const py::object& base_logits, const py::object& new_logits) {
        const Origin origin{"threshold", ""};
        const auto base = to_matrix(base_logits, "base_logits", origin);
        const auto new_side = to_matrix(new_logits, "new_logits", origin);
        if (new_side && new_side->rows != base->rows) {
          origin.fail(fmt::format("new_logits has {} rows; expected {}, as base_logits",
                                  new_side->rows, base->rows));
        }
        return to_array(without_gil([&] {
          return name_fit({&*base, new_side ? &*new_side : nullptr}, origin);
        }));
      },
      py::arg("base_logits"), py::arg("new_logits"));
}

}  // namespace openworld::python
