#include "openworld/predictions/result_json.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "openworld/base/version.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinity; a threshold of -inf (accept everything) is written as text.
Json number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? Json(nullptr) : Json(value > 0 ? "inf" : "-inf");
}

Json interval_json(const Interval& interval, const EvalOptions& options) {
  Json json = {{"low", interval.low},
               {"high", interval.high},
               {"level", interval.level},
               {"method", interval.method}};
  if (interval.method.starts_with("bootstrap")) {
    json["resamples"] = options.bootstrap.resamples;
    json["seed"] = options.bootstrap.seed;
  }
  return json;
}

Json metric_json(const MetricResult& result, const EvalOptions& options) {
  const MetricRow& row = *result.request.row;
  if (!result.value.defined()) return {{"value", nullptr}, {"why", result.value.why}};
  Json json;
  if (row.info.is_count) {
    json["value"] = static_cast<std::int64_t>(result.value.value);
  } else {
    json["value"] = result.value.value;
  }
  if (result.interval) {
    json["interval"] = interval_json(*result.interval, options);
  } else if (options.ci != Ci::kNone) {
    json["interval"] = nullptr;
    json["no_interval"] = result.no_interval;
  }
  json["higher_is_better"] = row.info.higher_is_better;
  if (result.open) {
    json["sides"] = {"base", side_name(*result.open)};
    if (row.positive == Positive::kBase) json["positive"] = "base";
    if (row.positive == Positive::kOpen) json["positive"] = side_name(*result.open);
  }
  if (result.ties) json["ties"] = *result.ties == Ties::kHalf ? "half" : "strict";
  if (result.value.threshold) json["threshold"] = number(*result.value.threshold);
  return json;
}

Json options_json(const EvalOptions& options) {
  Json json;
  json["ties"] = !options.ties ? "definition" : *options.ties == Ties::kHalf ? "half" : "strict";
  if (options.open) json["open"] = side_name(*options.open);
  if (options.threshold) json["threshold"] = number(*options.threshold);
  if (options.grid) json["grid"] = true;
  json["ci"] = options.ci == Ci::kNone     ? "none"
               : options.ci == Ci::kDelong ? "delong"
                                           : "bootstrap";
  if (options.ci != Ci::kNone) json["level"] = options.bootstrap.level;
  if (options.ci == Ci::kBootstrap) {
    json["resamples"] = options.bootstrap.resamples;
    json["seed"] = options.bootstrap.seed;
  }
  return json;
}

}  // namespace

std::string result_json(const Evaluation& evaluation, const EvalOptions& options,
                        const ResultContext& context) {
  const KindCounts& counts = evaluation.counts;
  Json json;
  json["schema"] = kResultSchema;
  json["version"] = OPENWORLD_VERSION;
  if (!context.source.empty()) json["source"] = context.source;
  json["counts"] = {{"base", counts.base()},
                    {"new", counts.new_samples()},
                    {"unknown", counts.unknown()},
                    {"tied", evaluation.tied}};
  Json& metrics = json["metrics"] = Json::object();
  for (const MetricResult& result : evaluation.metrics) {
    metrics[result.request.name] = metric_json(result, options);
  }
  json["options"] = options_json(options);
  if (!context.meta.empty()) json["meta"] = Json::parse(context.meta);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace openworld
