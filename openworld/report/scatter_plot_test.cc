#include "openworld/report/scatter_plot.h"

#include <gtest/gtest.h>

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
