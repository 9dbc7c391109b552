#include "openworld/io/training_log.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "openworld/base/error.h"
#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

TEST(TrainingLog, AppendsLinesAndCutsThoseOfLaterSteps) {
  const testing::TempFolder folder;
  const std::string path = folder / "log.jsonl";
  {
    TrainingLog log(path, "train");
    for (int step = 1; step <= 3; ++step) log.add({{"step", step}, {"loss", 1.5 * step}});
  }
  const Json last = cut_log(path, 2, "train");
  EXPECT_EQ(last["loss"], 3.0);
  TrainingLog(path, "train").add({{"step", 3}, {"loss", 7}});
  EXPECT_EQ(testing::read_file(path),
            "{\"step\":1,\"loss\":1.5}\n{\"step\":2,\"loss\":3.0}\n{\"step\":3,\"loss\":7}\n");
}

TEST(TrainingLog, DropsDamagedLines) {
  const testing::TempFolder folder;
  const std::string path = folder.write(
      "log.jsonl", "{\"step\":1}\n{\"loss\":2}\n[1]\n{\"step\":\"2\"}\n{\"step\":2,\"lo");
  EXPECT_EQ(cut_log(path, 9, "train"), Json({{"step", 1}}));
  EXPECT_EQ(testing::read_file(path), "{\"step\":1}\n");
}

TEST(TrainingLog, ThereMayBeNone) {
  const testing::TempFolder folder;
  EXPECT_TRUE(cut_log(folder / "log.jsonl", 5, "train").is_null());
  EXPECT_THROW(TrainingLog(folder / "missing/log.jsonl", "train"), Error);
}

}  // namespace
}  // namespace openworld
