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

RunResult scenario_result() {
  RunResult result = full_result();
  result.metrics.clear();
  result.views = {{.world = "pets",
                   .level = "0.2",
                   .t = 0.2,
                   .file = "view-000.npz",
                   .base_classes = 2,
                   .new_classes = 1,
                   .base_images = 20,
                   .new_images = 10,
                   .unknown_images = 3,
                   .metrics = {{.name = "overall_acc", .value = 0.5},
                               {.name = "auroc", .why = "no new samples"}}},
                  {.world = "pets", .level = "forward", .file = "view-001.npz"}};
  return result;
}

TEST(RunResult, HasViewsOfAScenario) {
  const Json json = run_result_json(scenario_result());
  const RunResult result = read(json);
  EXPECT_EQ(run_result_json(result), json);
  ASSERT_EQ(result.views.size(), 2u);
  EXPECT_EQ(result.views[0].metrics, scenario_result().views[0].metrics);
  EXPECT_FALSE(result.views[1].t);
  EXPECT_FALSE(run_result_json(full_result()).contains("views"));
  const auto with = [&](const char* place, Json value) {
    Json changed = json;
    changed[Json::json_pointer(place)] = std::move(value);
    return changed;
  };
  EXPECT_ERROR(read(with("/views/0/world", 3)), "world is 3");
  EXPECT_ERROR(read(with("/views/0/t", "soon")), "t is \"soon\"");
  EXPECT_ERROR(read(with("/views/1/file", "../view-001.npz")),
               "expected a file of the run's folder");
  EXPECT_ERROR(read(with("/views/0/base_images", -1)), "expected a number from 0 to 2^53");
  EXPECT_ERROR(read(with("/views/1/metrics", 3)), "metrics");
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
