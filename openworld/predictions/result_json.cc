#include "openworld/predictions/result_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "openworld/base/version.h"
#include "openworld/io/dump_line.h"
#include "openworld/predictions/metric_record.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

Json options_json(const EvalOptions& options) {
  Json json;
  json["ties"] = !options.ties ? "definition" : *options.ties == Ties::kHalf ? "half" : "strict";
  if (options.open) json["open"] = side_name(*options.open);
  if (options.threshold) json["threshold"] = number_json(*options.threshold);
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

Json result_object(const Evaluation& evaluation, const EvalOptions& options,
                   const ResultContext& context) {
  const KindCounts& counts = evaluation.counts;
  Json json;
  json["schema"] = kResultSchema;
  json["version"] = OPENWORLD_VERSION;
  if (!context.source.empty()) json["source"] = context.source;
  json["counts"] = {{"base", counts.base()},
                    {"new", counts.new_samples()},
                    {"unknown", counts.unknown()},
                    {"tied", evaluation.tied},
                    {"tied_answers", context.tied_answers}};
  Json& metrics = json["metrics"] = Json::object();
  for (const MetricResult& result : evaluation.metrics) {
    metrics[result.request.name] = metric_json(metric_record(result, options));
  }
  json["options"] = options_json(options);
  if (!context.meta.empty()) {
    const Origin origin{"result_json", context.source};
    json["meta"] = parse_ordered_json(context.meta, origin, kMetaLimits);
  }
  return json;
}

std::string result_json(const Evaluation& evaluation, const EvalOptions& options,
                        const ResultContext& context) {
  return dump_line(result_object(evaluation, options, context));
}

}  // namespace openworld
