#include "openworld/report/loss_log.h"

#include <gtest/gtest.h>

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
