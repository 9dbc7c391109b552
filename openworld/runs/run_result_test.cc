#include "openworld/runs/run_result.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "openworld/io/test_util.h"
#include "openworld/runs/test_util.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;
using testing::TempFolder;

RunResult read(const Json& json) {
  const TempFolder folder;
  return read_run_result({"f", folder.write("result.json", json.dump())});
}

TEST(RunResult, ComesBackAsItWasWritten) {
  const Json json = run_result_json(full_result());
  const RunResult result = read(json);
  EXPECT_EQ(run_result_json(result), json);
  EXPECT_EQ(result.metrics, full_result().metrics);
}

TEST(RunResult, KeepsTheOrderOfItsMetrics) {
  RunResult result = full_result();
  result.metrics.clear();
  for (const char* name : {"base_acc", "new_acc", "hm", "auroc", "openworld_auc"}) {
    result.metrics.push_back({.name = name, .value = 0.5});
  }
  EXPECT_EQ(read(run_result_json(result)).metrics, result.metrics);
}

TEST(RunResult, ReadsTheFirstSchema) {
  Json json = run_result_json(full_result());
  json["schema"] = "openworld.tune/1";
  json["run"] = json["cost"];
  json.erase("cost");
  EXPECT_EQ(read(json).cost.train_seconds, 1.5);
  EXPECT_EQ(run_result_json(read(json)), run_result_json(full_result()));
}

// Larger than any count: still a number, which comes back as such.
TEST(RunResult, TakesHugeMetricsForNumbers) {
  Json json = run_result_json(full_result());
  json["metrics"]["auroc"]["value"] = std::numeric_limits<std::uint64_t>::max();
  const Json again = run_result_json(read(json));
  EXPECT_EQ(again["metrics"]["auroc"]["value"], 0x1p64);
  EXPECT_EQ(run_result_json(read(again)), again);
}

TEST(RunResult, RefusesByName) {
  const auto with = [](const char* place, Json value) {
    Json json = run_result_json(full_result());
    json[Json::json_pointer(place)] = std::move(value);
    return json;
  };
  EXPECT_ERROR(read(with("/schema", "openworld.tune/9")), "expected openworld.tune/2");
  EXPECT_ERROR(read(with("/parameters", -1)), "parameters is -1; expected a number from 0 to 2^53");
  EXPECT_ERROR(read(with("/steps", 1e300)), "steps is 1e+300; expected a number from 0 to 2^53");
  EXPECT_ERROR(read(with("/cost/seconds", 1e300)), "cost.seconds is 1e+300");
  EXPECT_ERROR(read(with("/cost/train_seconds", "long")), "cost.train_seconds is \"long\"");
  EXPECT_ERROR(read(with("/metrics", Json::array())), "has no metrics object");
  EXPECT_ERROR(read(with("/metrics/auroc/value", "high")), "metrics.auroc.value is \"high\"");
  EXPECT_ERROR(read(with("/metrics/auroc/threshold", "low")), "expected a number, inf or -inf");
  EXPECT_ERROR(read(with("/seed", 1.5)), "seed is 1.5");
  EXPECT_ERROR(read(Json::object()), "schema is null");
}

}  // namespace
}  // namespace openworld
