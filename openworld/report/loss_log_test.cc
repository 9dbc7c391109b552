#include "openworld/report/loss_log.h"

#include <gtest/gtest.h>

#include <ctime>

#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using testing::TempFolder;

TEST(LossLog, SkipsWhatIsNoLossOfAStep) {
  const TempFolder folder;
  const std::string path = folder.write(
      "log.jsonl",
      "{\"step\":1,\"loss\":2.5}\n[1]\n{\"step\":2}\n{\"step\":\"3\",\"loss\":1}\n"
      "{\"step\":4,\"loss\":null}\n{\"step\":5,\"loss\":1.5}\n{\"step\":3,\"loss\":1}\n{\"st");
  const auto losses = read_losses(path);
  ASSERT_EQ(losses.size(), 2u);
  EXPECT_EQ(losses[0].step, 1);
  EXPECT_EQ(losses[1].loss, 1.5);
  EXPECT_TRUE(read_losses(folder / "none").empty());
}

// Parsing each of them would take half a minute.
TEST(LossLog, SkipsManyEmptyLines) {
  const TempFolder folder;
  const std::string path =
      folder.write("log.jsonl", std::string(20'000'000, '\n') + "{\"step\":1,\"loss\":2.5}\n");
  const std::clock_t start = std::clock();
  EXPECT_EQ(read_losses(path).size(), 1u);
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 5);
}

TEST(LossLog, KeepsBothEndsOfALongOne) {
  const TempFolder folder;
  std::string text;
  for (int i = 1; i <= 1000; ++i) {
    text += "{\"step\":" + std::to_string(i) + ",\"loss\":" + std::to_string(i) + "}\n";
  }
  const auto losses = read_losses(folder.write("log.jsonl", text), 50);
  ASSERT_EQ(losses.size(), 50u);
  EXPECT_EQ(losses.front().step, 1);
  EXPECT_EQ(losses.back().step, 1000);
}

}  // namespace
}  // namespace openworld
