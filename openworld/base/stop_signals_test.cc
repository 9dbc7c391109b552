#include "openworld/base/stop_signals.h"

#include <gtest/gtest.h>

#include <csignal>

namespace openworld {
namespace {

TEST(StopSignals, HoldsSignalsWhileItLives) {
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) {
    const StopSignals signals;  // a new one forgets what an earlier one was asked
    EXPECT_FALSE(signals.asked());
    std::raise(signal);
    EXPECT_TRUE(signals.asked());
    EXPECT_EQ(signals.signal(), signal);
  }
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) {
    struct sigaction now = {};
    ASSERT_EQ(sigaction(signal, nullptr, &now), 0);
    EXPECT_EQ(now.sa_handler, SIG_DFL);  // as it was before
  }
}

TEST(StopSignals, EndsAtTheSecondSignal) {
  const auto twice = [](int first, int second) {
    const StopSignals signals;
    std::raise(first);
    std::raise(second);
  };
  EXPECT_EXIT(twice(SIGTERM, SIGTERM), ::testing::KilledBySignal(SIGTERM), "");
  EXPECT_EXIT(twice(SIGUSR1, SIGTERM), ::testing::KilledBySignal(SIGTERM), "");
  EXPECT_EXIT(twice(SIGTERM, SIGINT), ::testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace openworld
