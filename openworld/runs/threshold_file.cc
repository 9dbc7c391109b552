#include "openworld/runs/threshold_file.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "openworld/base/version.h"
#include "openworld/io/json_fields.h"
#include "openworld/io/json_file.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kThresholdSchema = "openworld.threshold/3";
constexpr const char* kOldThresholdSchema = "openworld.threshold/2";
// What fit is: the largest logit of all listed names (predictions/derive.h).
constexpr const char* kFit = "max_logit";

Json share_json(const Share& share) {
  return {{"value", share.value},
          {"count", share.count},
          {"total", share.total},
          {"interval",
           {{"low", share.interval.low},
            {"high", share.interval.high},
            {"method", "clopper_pearson"}}}};
}

Json next_json(const BatchPromise& next, const char* what) {
  return {{"samples", next.samples},
          {what, next.most},
          {"share", static_cast<double>(next.most) / static_cast<double>(next.samples)}};
}

Json counts_json(const AnswerCounts& counts) {
  return {{"base", counts.base}, {"new", counts.new_side}, {"unknown", counts.unknown}};
}

Json unknown_json(const UnknownThreshold& unknown) {
  Json json = {{"max_unknown", unknown.limit.max_unknown},
               {"confidence", unknown.limit.confidence},
               {"threshold", unknown.threshold},
               {"fit", kFit},
               {"rule", "unknown if not base and fit <= threshold, else new"},
               {"allowed_unknown", unknown.allowed},
               {"unfit_rate", share_json(unknown.unfit)}};
  if (unknown.kept_out) json["kept_out_rate"] = share_json(*unknown.kept_out);
  if (unknown.next) json["next"] = next_json(*unknown.next, "most_unknown");
  json["answers"] = {{"base", counts_json(unknown.of_base)},
                     {"new", counts_json(unknown.of_new)},
                     {"unknown", counts_json(unknown.of_unknown)}};
  return json;
}

StoredUnknown unknown_of(const JsonFields& fields) {
  for (const char* key : {"threshold", "max_unknown", "confidence"}) {
    if (!fields.has(key)) fields.fail(key, "a number");
  }
  if (fields.text("fit", "") != kFit) fields.fail("fit", kFit);
  return {fields.number("threshold", 0), fields.number("max_unknown", 0),
          fields.number("confidence", 0)};
}

}  // namespace

Json threshold_json(const ChosenThresholds& chosen, const std::string& source) {
  const GuaranteedThreshold& threshold = chosen.base;
  Json json = {{"schema", kThresholdSchema},
               {"version", OPENWORLD_VERSION},
               {"source", source},
               {"max_miss", threshold.limit.max_miss},
               {"confidence", threshold.limit.confidence},
               {"threshold", threshold.threshold},
               {"rule", "base if score > threshold"},
               {"allowed_misses", threshold.allowed_misses},
               {"miss_rate", share_json(threshold.miss)}};
  if (threshold.hit) json["hit_rate"] = share_json(*threshold.hit);
  if (threshold.reject) json["reject_rate"] = share_json(*threshold.reject);
  if (threshold.next) json["next"] = next_json(*threshold.next, "most_missed");
  if (chosen.unknown) json["unknown"] = unknown_json(*chosen.unknown);
  return json;
}

std::optional<StoredThreshold> read_threshold(const Origin& origin) {
  std::error_code ignored;
  if (!std::filesystem::exists(origin.file, ignored)) return std::nullopt;
  const nlohmann::json json = read_json_file(origin);
  const JsonFields fields(json, "", origin);
  const std::string schema = fields.text("schema", kOldThresholdSchema);
  if (schema != kThresholdSchema && schema != kOldThresholdSchema)
    fields.fail("schema", kThresholdSchema);
  for (const char* key : {"threshold", "max_miss", "confidence"}) {
    if (!fields.has(key)) fields.fail(key, "a number");
  }
  StoredThreshold stored{.value = fields.number("threshold", 0),
                         .max_miss = fields.number("max_miss", 0),
                         .confidence = fields.number("confidence", 0)};
  if (fields.has("unknown")) stored.unknown = unknown_of(fields.object("unknown"));
  return stored;
}

}  // namespace openworld
