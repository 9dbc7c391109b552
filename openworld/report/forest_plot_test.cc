#include "openworld/report/forest_plot.h"

#include <gtest/gtest.h>

namespace openworld {
namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(ForestPlot, DrawsEveryRowBesideZero) {
  const Interval interval{.low = -0.05, .high = 0.15, .level = 0.95, .method = ""};
  const std::string text = svg(
      Forest{.title = "a < b",
             .x_title = "points",
             .rows = {{.name = "<script>", .method = 2, .difference = 0.05, .interval = interval},
                      {.name = "sure", .method = 9, .difference = 0.1, .significant = true}}});
  EXPECT_TRUE(has(text, "aria-label=\"a &lt; b\""));
  EXPECT_FALSE(has(text, "<script>"));
  EXPECT_TRUE(
      has(text,
          "<g data-m=\"2\" class=\"whole\"><title>&lt;script&gt;: +5.00 [-5.00, +15.00]</title>"));
  EXPECT_TRUE(has(text, "text-anchor=\"middle\">0</text>"));
  EXPECT_TRUE(has(text, "r=\"5.5\" stroke=\"var(--k2)\"/>"));  // hollow: not significant
  EXPECT_TRUE(has(text, " 20H"));                              // the interval of the first row
  EXPECT_TRUE(has(
      text, "fill=\"var(--k2)\"/><text class=\"end\" x=\"480\""));  // method 9 has the third colour
  EXPECT_TRUE(has(text, "sure: +10.00, significant"));
}

TEST(ForestPlot, LongNamesAreCutBetweenLetters) {
  const std::string name = "caf\xc3\xa9 caf\xc3\xa9 caf\xc3\xa9 caf\xc3\xa9 caf\xc3\xa9";
  const std::string text = svg(Forest{.title = "", .x_title = "", .rows = {{.name = name}}});
  EXPECT_TRUE(has(text, ">caf\xc3\xa9 caf\xc3\xa9 caf\xc3\xa9 caf\xc3\xa9 c\xe2\x80\xa6</text>"));
  EXPECT_TRUE(has(text, "<title>" + name));
}

}  // namespace
}  // namespace openworld
