#include "openworld/runs/threshold_file.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "openworld/base/version.h"
#include "openworld/io/json_fields.h"
#include "openworld/io/json_file.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

Json share_json(const Share& share) {
  return {{"value", share.value},
          {"count", share.count},
          {"total", share.total},
          {"interval",
           {{"low", share.interval.low},
            {"high", share.interval.high},
            {"method", "clopper_pearson"}}}};
}

}  // namespace

Json threshold_json(const GuaranteedThreshold& threshold, const MissLimit& limit,
                    const std::string& source) {
  Json json = {{"schema", "openworld.threshold/2"},
               {"version", OPENWORLD_VERSION},
               {"source", source},
               {"max_miss", limit.max_miss_rate},
               {"confidence", limit.confidence},
               {"threshold", threshold.threshold},
               {"rule", "base if score > threshold"},
               {"allowed_misses", threshold.allowed_misses},
               {"miss_rate", share_json(threshold.miss)}};
  if (threshold.hit) json["hit_rate"] = share_json(*threshold.hit);
  if (threshold.reject) json["reject_rate"] = share_json(*threshold.reject);
  return json;
}

std::optional<StoredThreshold> read_threshold(const Origin& origin) {
  std::error_code ignored;
  if (!std::filesystem::exists(origin.file, ignored)) return std::nullopt;
  const nlohmann::json json = read_json_file(origin);
  const JsonFields fields(json, "", origin);
  for (const char* key : {"threshold", "max_miss", "confidence"}) {
    if (!fields.has(key)) fields.fail(key, "a number");
  }
  return StoredThreshold{fields.number("threshold", 0), fields.number("max_miss", 0),
                         fields.number("confidence", 0)};
}

}  // namespace openworld
