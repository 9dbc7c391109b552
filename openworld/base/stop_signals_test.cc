#include "openworld/base/stop_signals.h"

#include <gtest/gtest.h>

#include <csignal>

namespace openworld {
namespace {

TEST(StopSignals, HoldsSignalsWhileItLives) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const StopSignals signals;  // a new one forgets what an earlier one was asked
    EXPECT_FALSE(signals.asked());
    std::raise(signal);
    EXPECT_TRUE(signals.asked());
  }
  struct sigaction now = {};
  ASSERT_EQ(sigaction(SIGINT, nullptr, &now), 0);
  EXPECT_EQ(now.sa_handler, SIG_DFL);  // as it was before
}

}  // namespace
}  // namespace openworld
