#include "openworld/predictions/metric_record.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "openworld/io/json_fields.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Json interval_json(const StoredInterval& interval) {
  Json json = {{"low", interval.low},
               {"high", interval.high},
               {"level", interval.level},
               {"method", interval.method}};
  if (interval.resamples) json["resamples"] = *interval.resamples;
  if (interval.seed) json["seed"] = *interval.seed;
  return json;
}

StoredInterval read_interval(const JsonFields& fields) {
  StoredInterval interval{.low = fields.number("low", 0),
                          .high = fields.number("high", 0),
                          .level = fields.number("level", 0),
                          .method = fields.text("method", "")};
  if (fields.has("resamples")) interval.resamples = fields.integer("resamples", 0);
  if (fields.has("seed")) {
    if (!fields["seed"].is_number_unsigned()) fields.fail("seed", "a whole number");
    interval.seed = fields["seed"].get<std::uint64_t>();
  }
  return interval;
}

// A number, or one of the two that JSON has no number for.
double read_number(const JsonFields& fields, std::string_view key) {
  const nlohmann::json& value = fields[key];
  if (value.is_number()) return value.get<double>();
  const bool is_text = value.is_string();
  if (!is_text || (value != "inf" && value != "-inf")) fields.fail(key, "a number, inf or -inf");
  return value == "inf" ? kInfinity : -kInfinity;
}

}  // namespace

Json number_json(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? Json(nullptr) : Json(value > 0 ? "inf" : "-inf");
}

MetricRecord metric_record(const MetricResult& result, const EvalOptions& options) {
  const MetricRow& row = *result.request.row;
  MetricRecord record{.name = result.request.name,
                      .why = result.value.why,
                      .is_count = row.info.is_count,
                      .interval_asked = options.ci != Ci::kNone,
                      .higher_is_better = row.info.higher_is_better};
  if (!result.value.defined()) return record;
  record.value = result.value.value;
  if (result.interval) {
    const Interval& interval = *result.interval;
    record.interval = StoredInterval{.low = interval.low,
                                     .high = interval.high,
                                     .level = interval.level,
                                     .method = std::string(interval.method)};
    if (interval.method.starts_with("bootstrap")) {
      record.interval->resamples = options.bootstrap.resamples;
      record.interval->seed = options.bootstrap.seed;
    }
  } else {
    record.no_interval = result.no_interval;
  }
  if (result.open) {
    record.open = side_name(*result.open);
    if (row.positive == Positive::kBase) record.positive = "base";
    if (row.positive == Positive::kOpen) record.positive = record.open;
  }
  if (result.ties) record.ties = *result.ties == Ties::kHalf ? "half" : "strict";
  record.threshold = result.value.threshold;
  return record;
}

Json metric_json(const MetricRecord& record) {
  if (!record.value) return {{"value", nullptr}, {"why", record.why}};
  Json json;
  if (record.is_count) {
    json["value"] = static_cast<std::int64_t>(*record.value);
  } else {
    json["value"] = *record.value;
  }
  if (record.interval) {
    json["interval"] = interval_json(*record.interval);
  } else if (record.interval_asked) {
    json["interval"] = nullptr;
    json["no_interval"] = record.no_interval;
  }
  json["higher_is_better"] = record.higher_is_better;
  if (!record.open.empty()) {
    json["sides"] = {"base", record.open};
    if (!record.positive.empty()) json["positive"] = record.positive;
  }
  if (!record.ties.empty()) json["ties"] = record.ties;
  if (record.threshold) json["threshold"] = number_json(*record.threshold);
  return json;
}

MetricRecord read_metric(const std::string& name, const JsonFields& fields) {
  MetricRecord record{.name = name};
  if (!fields.has("value")) {
    record.why = fields.text("why", "");
    return record;
  }
  record.value = fields.number("value", 0);
  constexpr double kLargestCount = 9007199254740992;  // 2^53; a double is exact up to there
  record.is_count = fields["value"].is_number_integer() && std::abs(*record.value) <= kLargestCount;
  if (fields.has("interval")) {
    record.interval = read_interval(fields.object("interval"));
    record.interval_asked = true;
  } else if (fields.has("no_interval")) {
    record.no_interval = fields.text("no_interval", "");
    record.interval_asked = true;
  }
  record.higher_is_better = fields.flag("higher_is_better", true);
  if (fields.has("sides")) {
    const nlohmann::json& sides = fields["sides"];
    if (!sides.is_array() || sides.size() != 2 || !sides[1].is_string()) {
      fields.fail("sides", "two names of sides");
    }
    record.open = sides[1].get<std::string>();
    record.positive = fields.text("positive", "");
  }
  record.ties = fields.text("ties", "");
  if (fields.has("threshold")) record.threshold = read_number(fields, "threshold");
  return record;
}

}  // namespace openworld
