#include "openworld/report/svg_plot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <locale>
#include <sstream>

#include "openworld/report/svg_axes.h"

namespace openworld {
namespace {

TEST(SvgPlot, DrawsEveryLineWithinTheFrame) {
  const std::string text = svg({.title = "a < b",
                                .x_title = "x & y",
                                .y_title = "y",
                                .lines = {{"one", {0, 0.5, 1}, {0, 0.25, 1}}, {"two", {0}, {1}}}});
  EXPECT_EQ(text.find("a < b"), std::string::npos);
  EXPECT_NE(text.find("a &lt; b"), std::string::npos);
  EXPECT_NE(text.find("x &amp; y"), std::string::npos);
  // (0, 0) is the lower left corner of the frame, (1, 1) the upper right.
  EXPECT_NE(text.find("points=\"58.00,370.00 261.00,287.50 464.00,40.00\""), std::string::npos);
  EXPECT_NE(text.find(">two</text>"), std::string::npos);
  EXPECT_TRUE(text.ends_with("</svg>\n"));
}

TEST(SvgPlot, LeavesOutPointsOfAPageThatNobodySees) {
  PlotLine line{"one", {}, {}};
  // A straight part, a corner, a quarter of a circle.
  for (int i = 0; i <= 100; ++i) {
    line.x.push_back(0.003 * i);
    line.y.push_back(0.001 * i);
  }
  for (int i = 0; i <= 300; ++i) {
    const double angle = 1.5707963 * i / 300;
    line.x.push_back(0.3 + 0.7 * std::sin(angle));
    line.y.push_back(0.5 + 0.5 * (1 - std::cos(angle)));
  }
  const Plot plot{
      .title = "", .x_title = "", .y_title = "", .lines = {line}, .look = SvgLook::kPage};
  const std::string text = svg(plot);
  const auto from = text.find("points=\"") + 8;
  std::istringstream points(text.substr(from, text.find('"', from) - from));
  points.imbue(std::locale::classic());
  std::vector<std::pair<double, double>> kept;
  char comma = 0;
  for (double x = 0, y = 0; points >> x >> comma >> y;) kept.emplace_back(x, y);
  EXPECT_LT(kept.size(), 30u);  // of 402
  // Every point of the line lies near the part of the drawn one above or below it.
  const SvgAxes axes({.title = "",
                      .x_title = "",
                      .y_title = "",
                      .x = plot.x,
                      .y = plot.y,
                      .width = plot.width,
                      .height = plot.height,
                      .look = plot.look});
  for (std::size_t i = 0; i < line.x.size(); ++i) {
    const double x = axes.px(line.x[i]), y = axes.py(line.y[i]);
    double nearest = 1e9;
    for (std::size_t k = 0; k + 1 < kept.size(); ++k) {
      const auto [ax, ay] = kept[k];
      const auto [bx, by] = kept[k + 1];
      const double dx = bx - ax, dy = by - ay;
      const double t = std::clamp(((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy), 0.0, 1.0);
      nearest = std::min(nearest, std::hypot(x - ax - t * dx, y - ay - t * dy));
    }
    EXPECT_LT(nearest, 0.4) << i;  // and 0.05 of rounding
  }
}

TEST(SvgPlot, DrawsBoundsInTheColourOfTheirLine) {
  Plot plot{.title = "", .x_title = "", .y_title = "", .lines = {}};
  plot.lines = {{"a", {0, 1}, {0, 1}}, {"b", {0, 1}, {1, 0}}, {"b, low", {0, 1}, {1, 0.1}, 1}};
  const std::string out = svg(plot);
  const auto colour = std::string(series_colour(1, SvgLook::kPaper));
  EXPECT_NE(out.find("stroke-width=\"1\" stroke-linejoin=\"round\" stroke=\"" + colour + "\""),
            std::string::npos);
  EXPECT_NE(out.find(">b</text>"), std::string::npos);
  EXPECT_EQ(out.find("b, low"), std::string::npos);
}

TEST(SvgPlot, DrawsMarksWithTheirNames) {
  Plot plot{.title = "", .x_title = "", .y_title = "", .lines = {}};
  plot.lines = {{"a", {0, 1}, {0, 1}}, {"b", {0, 1}, {1, 0}}};
  plot.marks = {{.name = "here & now", .x = 0.5, .y = 0.25, .line = 1}};
  const std::string out = svg(plot);
  const auto colour = std::string(series_colour(1, SvgLook::kPaper));
  EXPECT_NE(out.find("<circle cx=\"261.00\" cy=\"287.50\" r=\"4.5\" fill=\"" + colour + "\"/>"),
            std::string::npos);
  EXPECT_NE(out.find(">here &amp; now</text>"), std::string::npos);
}

TEST(SvgPlot, DrawsAPartOfTheRange) {
  const std::string text = svg({.title = "t",
                                .x_title = "x",
                                .y_title = "y",
                                .lines = {{"one", {0.6, 0.8, 1}, {0, 0.2, 0.1}}},
                                .x = {0.6, 1},
                                .y = {0, 0.2}});
  EXPECT_NE(text.find("points=\"58.00,370.00 261.00,40.00 464.00,205.00\""), std::string::npos);
  EXPECT_NE(text.find(">0.60</text>"), std::string::npos);
}

TEST(SvgPlot, SharesInPercent) {
  Plot plot{.title = "", .x_title = "rate", .y_title = "y", .lines = {{"a", {0, 1}, {0, 1}}}};
  plot.x.percent = true;
  plot.look = SvgLook::kPage;
  plot.lines[0].method = 8;
  const std::string out = svg(plot);
  EXPECT_NE(out.find(">rate, %</text>"), std::string::npos);
  EXPECT_NE(out.find(">20</text>"), std::string::npos);
  EXPECT_NE(out.find(">0.2</text>"), std::string::npos);  // of y
  EXPECT_NE(out.find("stroke=\"var(--k1)\" stroke-dasharray=\"7 3\" data-m=\"8\""),
            std::string::npos);
}

TEST(XmlEscape, LeavesNoMarkupAndNoControlCharacters) {
  EXPECT_EQ(xml_escape("<a href=\"x\">&\n"), "&lt;a href=&quot;x&quot;&gt;&amp; ");
}

TEST(XmlEscape, KeepsUtf8AndReplacesWhatIsNot) {
  EXPECT_EQ(xml_escape("caf\xc3\xa9 \xe2\x82\xac"), "caf\xc3\xa9 \xe2\x82\xac");
  EXPECT_EQ(xml_escape("caf\xe9."), "caf\xef\xbf\xbd.");
  EXPECT_EQ(xml_escape("\xe2\x82"), "\xef\xbf\xbd\xef\xbf\xbd");
}

}  // namespace
}  // namespace openworld
