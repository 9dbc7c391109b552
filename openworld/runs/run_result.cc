#include "openworld/runs/run_result.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "openworld/io/json_fields.h"
#include "openworld/io/json_file.h"
#include "openworld/io/option_json.h"
#include "openworld/runs/json_names.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kFirstSchema = "openworld.tune/1";
constexpr JsonLimits kResultLimits{.bytes = std::size_t{1} << 24, .depth = 32};

Json cost_json(const TuningCost& cost) {
  Json json = Json::object();
  const auto add = [&](const char* key, const std::optional<double>& value) {
    if (value) json[key] = *value;
  };
  add("train_seconds", cost.train_seconds);
  add("encode_seconds", cost.encode_seconds);
  add("text_seconds", cost.text_seconds);
  add("score_seconds", cost.score_seconds);
  add("seconds_per_image", cost.seconds_per_image);
  if (cost.seconds) json["seconds"] = std::round(*cost.seconds * 1e6) / 1e6;
  if (cost.peak_memory_bytes) {
    json["peak_memory_bytes"] = static_cast<std::int64_t>(*cost.peak_memory_bytes);
  }
  if (!cost.version.empty()) json["version"] = cost.version;
  return json;
}

// Up to here every whole number is a double; no count, time or size comes near it.
constexpr double kLargestAmount = 9007199254740992;  // 2^53

std::optional<double> amount(const JsonFields& fields, std::string_view key) {
  if (!fields.has(key)) return std::nullopt;
  const double value = fields.number(key, 0);
  if (!(value >= 0 && value <= kLargestAmount)) fields.fail(key, "a number from 0 to 2^53");
  return value;
}

TuningCost cost_of(const JsonFields& fields) {
  return {.train_seconds = amount(fields, "train_seconds"),
          .encode_seconds = amount(fields, "encode_seconds"),
          .text_seconds = amount(fields, "text_seconds"),
          .score_seconds = amount(fields, "score_seconds"),
          .seconds_per_image = amount(fields, "seconds_per_image"),
          .seconds = amount(fields, "seconds"),
          .peak_memory_bytes = amount(fields, "peak_memory_bytes"),
          .version = fields.text("version", "")};
}

std::int64_t count(const JsonFields& fields, std::string_view key) {
  return static_cast<std::int64_t>(amount(fields, key).value_or(0));
}

Json metrics_json(const std::vector<MetricRecord>& metrics) {
  Json json = Json::object();
  for (const MetricRecord& metric : metrics) json[metric.name] = metric_json(metric);
  return json;
}

// In the order of a list of names, which JSON objects do not keep.
std::vector<MetricRecord> metrics_of(const JsonFields& fields, std::string_view order) {
  const JsonFields object = fields.object("metrics");
  std::vector<MetricRecord> metrics;
  for (const auto& [name, metric] : fields["metrics"].items()) {
    metrics.push_back(read_metric(name, object.object(name)));
  }
  std::ranges::stable_sort(metrics, {},
                           [&](const MetricRecord& metric) { return order.find(metric.name); });
  return metrics;
}

Json view_json(const ViewResult& view) {
  return {{"world", view.world},
          {"level", view.level},
          {"t", view.t ? Json(*view.t) : Json()},
          {"file", view.file},
          {"base_classes", view.base_classes},
          {"new_classes", view.new_classes},
          {"base_images", view.base_images},
          {"new_images", view.new_images},
          {"unknown_images", view.unknown_images},
          {"metrics", metrics_json(view.metrics)}};
}

ViewResult view_of(const JsonFields& fields) {
  ViewResult view{.world = name_field(fields, "world"),
                  .level = name_field(fields, "level"),
                  .file = name_field(fields, "file"),
                  .base_classes = count(fields, "base_classes"),
                  .new_classes = count(fields, "new_classes"),
                  .base_images = count(fields, "base_images"),
                  .new_images = count(fields, "new_images"),
                  .unknown_images = count(fields, "unknown_images"),
                  .metrics = metrics_of(fields, kViewMetrics)};
  // A name in the run's folder, not a path to somewhere else.
  if (view.file.find('/') != std::string::npos) fields.fail("file", "a file of the run's folder");
  if (fields.has("t")) view.t = fields.number("t", 0);
  return view;
}

}  // namespace

Json run_result_json(const RunResult& result) {
  Json json = {{"schema", kRunResultSchema},
               {"out", result.out},
               {"method", result.method},
               {"title", result.title},
               {"changed", option_json(result.changed)},
               {"seed", result.seed},
               {"data", result.data},
               {"parameters", result.parameters},
               {"train_images", result.train_images},
               {"test_images", result.test_images},
               {"epochs", result.epochs},
               {"steps", result.steps},
               {"loss", result.loss ? Json(*result.loss) : Json()},
               {"metrics", metrics_json(result.metrics)}};
  if (!result.assumptions.empty()) json["assumptions"] = result.assumptions;
  if (!result.views.empty()) {
    json["views"] = Json::array();
    for (const ViewResult& view : result.views) json["views"].push_back(view_json(view));
  }
  if (!result.files.empty()) json["files"] = result.files;
  json["cost"] = cost_json(result.cost);
  return json;
}

RunResult read_run_result(const Origin& origin) {
  const nlohmann::json json = read_json_file(origin, kResultLimits);
  const JsonFields fields(json, "", origin);
  const std::string schema = fields.text("schema", "");
  if (schema != kRunResultSchema && schema != kFirstSchema) {
    fields.fail("schema", kRunResultSchema);
  }
  const char* const cost = schema == kFirstSchema ? "run" : "cost";
  RunResult result{.out = fields.text("out", ""),
                   .method = name_field(fields, "method"),
                   .title = name_field(fields, "title"),
                   .changed = option_values(fields, "changed"),
                   .seed = seed_field(fields, "seed"),
                   .data = name_field(fields, "data"),
                   .parameters = count(fields, "parameters"),
                   .train_images = count(fields, "train_images"),
                   .test_images = count(fields, "test_images"),
                   .epochs = count(fields, "epochs"),
                   .steps = count(fields, "steps"),
                   .loss = std::nullopt,
                   .assumptions = texts_field(fields, "assumptions"),
                   .metrics = metrics_of(fields, kRunMetrics),
                   .views = {},
                   .files = {},
                   .cost = {}};
  if (fields.has("loss")) result.loss = fields.number("loss", 0);
  if (fields.has(cost)) result.cost = cost_of(fields.object(cost));
  std::set<std::string> view_files;
  for (const JsonFields& view : fields.objects("views")) {
    result.views.push_back(view_of(view));
    // It would be read for every one of them.
    if (!view_files.insert(result.views.back().file).second) {
      view.fail("file", "another file for each view");
    }
  }
  if (fields.has("files")) {
    const JsonFields files = fields.object("files");
    for (const auto& [name, value] : fields["files"].items()) {
      result.files[name] = files.text(name, "");
    }
  }
  return result;
}

}  // namespace openworld
