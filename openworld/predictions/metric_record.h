#pragma once

// A measured metric as results store it: one writer and one reader of its JSON.
//
//   {"value": v, "interval": {"low":, "high":, "level":, "method":}, "higher_is_better": true,
//    "sides": ["base", "new"], "positive": "base", "ties": "half", "threshold": t}
//
// An undefined metric is {"value": null, "why": ...}. JSON has no infinity; a threshold of -inf
// (accept everything) is the text "-inf".

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "openworld/metrics/evaluate.h"

namespace openworld {

class JsonFields;

struct StoredInterval {
  double low = 0, high = 0, level = 0;
  std::string method;
  std::optional<std::int64_t> resamples{};  // of a bootstrap
  std::optional<std::uint64_t> seed{};

  bool operator==(const StoredInterval&) const = default;
};

struct MetricRecord {
  std::string name;
  std::optional<double> value{};
  std::string why{};      // why there is none
  bool is_count = false;  // written as a whole number
  bool interval_asked = false;
  std::optional<StoredInterval> interval{};
  std::string no_interval{};  // why there is none, where one was asked for
  bool higher_is_better = true;
  std::string open{};      // the side that stood against base, where there is one
  std::string positive{};  // "base" or the open side
  std::string ties{};      // "half" or "strict"
  std::optional<double> threshold{};

  bool operator==(const MetricRecord&) const = default;
};

// A number, or "inf", "-inf" or null for those that JSON has no number for.
nlohmann::ordered_json number_json(double value);

MetricRecord metric_record(const MetricResult& result, const EvalOptions& options);

nlohmann::ordered_json metric_json(const MetricRecord& record);

// Throws Error.
MetricRecord read_metric(const std::string& name, const JsonFields& fields);

}  // namespace openworld
