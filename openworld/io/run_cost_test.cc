#include "openworld/io/run_cost.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "openworld/base/error.h"
#include "openworld/base/version.h"
#include "openworld/io/json_fields.h"

namespace openworld {
namespace {

using Json = nlohmann::json;

const Origin kOrigin{"read", "result.json"};

TEST(RunCost, IsMeasured) {
  const RunClock clock;
  const RunCost first = clock.cost(), second = clock.cost();
  EXPECT_GE(second.seconds, first.seconds);
  EXPECT_GT(first.peak_memory_bytes, 1 << 20);
  EXPECT_EQ(first.version, OPENWORLD_VERSION);
}

TEST(RunCost, IsReadUnderItsNameAndItsOldOne) {
  const RunCost cost{12.25, std::int64_t{9} << 30, "0.1.0"};
  for (const char* key : {"cost", "run"}) {
    const Json result = {{key, Json::parse(run_cost_json(cost).dump())}};
    EXPECT_EQ(read_run_cost(JsonFields(result, "", kOrigin)), cost) << key;
  }
}

TEST(RunCost, RefusesOtherValues) {
  for (const char* text : {R"({})", R"({"cost": 3})", R"({"cost": {"seconds": "3"}})",
                           R"({"cost": {"peak_memory_bytes": 1.5}})"}) {
    const Json result = Json::parse(text);
    EXPECT_THROW(read_run_cost(JsonFields(result, "", kOrigin)), Error) << text;
  }
}

}  // namespace
}  // namespace openworld
