#include "openworld/report/scatter_plot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace openworld {
namespace {

// Round ends that enclose any values; ticks then fall on round numbers.
TEST(RoundRange, HoldsItsValues) {
  for (int i = 0; i <= 100; ++i) {
    for (int j = i; j <= 100; ++j) {
      const double low = i / 100.0, high = j / 100.0;
      const AxisRange range = round_range(low, high);
      ASSERT_LE(range.low, low + 1e-9);
      ASSERT_GE(range.high, high - 1e-9);
      ASSERT_GE(range.low, 0);
      ASSERT_LE(range.high, 1);
      ASSERT_GE(range.high - range.low, 0.1 - 1e-9);
      ASSERT_LT(range.high - range.low, high - low + 0.2);
      ASSERT_NEAR(range.low * 20, std::round(range.low * 20), 1e-9);
    }
  }
}

// Counts and logits, and numbers that no picture can show: a range all the same, with ticks.
TEST(RoundRange, HoldsNumbersThatAreNotRates) {
  const double values[] = {-1e308, -1e17, -5000, -17.3, -0.01, 0,    0.4,
                           3,      12,    4999,  1e9,   1e17,  1e308};
  for (const double low : values) {
    for (const double high : values) {
      if (high < low) continue;
      const AxisRange range = round_range(low, high);
      ASSERT_LT(range.low, range.high) << low << " " << high;
      if (std::abs(low) > 1e300 || std::abs(high) > 1e300) continue;
      const double slack = 1e-6 * std::max(std::abs(low), std::abs(high));
      ASSERT_LE(range.low, low + slack);
      ASSERT_GE(range.high, high - slack);
      const std::string frame =
          SvgAxes({.title = "", .x_title = "", .y_title = "", .x = range}).open();
      ASSERT_EQ(frame.find("nan"), std::string::npos) << low << " " << high;
    }
  }
}

TEST(RoundRange, HasRoundTicksOfCounts) {
  EXPECT_EQ(round_range(0, 20).high, 20);
  EXPECT_EQ(round_range(0, 5000).high, 5000);
  EXPECT_EQ(round_range(0, 43).high, 50);
  const std::string frame =
      SvgAxes({.title = "", .x_title = "", .y_title = "", .x = round_range(0, 43)}).open();
  EXPECT_NE(frame.find(">50</text>"), std::string::npos);
  EXPECT_NE(frame.find(">10</text>"), std::string::npos);
  EXPECT_EQ(frame.find(">10.0</text>"), std::string::npos);
}

TEST(ScatterPlot, PutsPointsWhereTheyBelong) {
  Scatter scatter{.frame = {.title = "a \"b\"", .x_title = "x", .y_title = "y"},
                  .series = {{.points = {{"one", 0.5, 0.6}, {"two", 0.7, 0.8}},
                              .mean = {"mean <1>", 0.6, 0.7}}}};
  const std::string paper = svg(scatter);
  EXPECT_NE(paper.find("cx=\"58.0\" cy=\"370.0\" r=\"4\""), std::string::npos);
  EXPECT_NE(paper.find("cx=\"464.0\" cy=\"40.0\" r=\"4\""), std::string::npos);
  EXPECT_NE(paper.find("cx=\"261.0\" cy=\"205.0\" r=\"9\""), std::string::npos);
  EXPECT_NE(paper.find("<title>mean &lt;1&gt;</title>"), std::string::npos);
  EXPECT_NE(paper.find(">0.55</text>"), std::string::npos);
  scatter.frame.look = SvgLook::kPage;
  const std::string page = svg(scatter);
  EXPECT_EQ(page.find("http:"), std::string::npos);
  EXPECT_EQ(page.find("#ffffff"), std::string::npos);
  EXPECT_NE(page.find("aria-label=\"a &quot;b&quot;\""), std::string::npos);
}

TEST(ScatterPlot, HasAFrameWithoutPoints) {
  EXPECT_NE(svg(Scatter{}).find(">1.0</text>"), std::string::npos);
}

}  // namespace
}  // namespace openworld
