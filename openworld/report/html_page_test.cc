#include "openworld/report/html_page.h"

#include <gtest/gtest.h>

namespace openworld {
namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(HtmlTable, EscapesAndMarks) {
  HtmlTable table({"a<b", "x"});
  table.add({{.text = "one & two"}, {.text = "1.00", .best = true, .hint = "\"why\""}}, "#123456");
  table.add({{.text = "three"}, {.text = "2.00", .mark = HtmlTable::Mark::kWorse}});
  table.add({{.text = "four"}, {.text = "3.00", .mark = HtmlTable::Mark::kBetter}});
  const std::string html = table.html();
  EXPECT_TRUE(has(html, "<th scope=\"col\">a&lt;b</th><th scope=\"col\">x</th>"));
  EXPECT_TRUE(has(html,
                  "<i class=\"dot\" style=\"background:#123456\"></i>one &amp; two</th>"
                  "<td title=\"&quot;why&quot;\"><b>1.00</b></td>"));
  EXPECT_TRUE(has(html, "<td>2.00<span class=\"worse\""));
  EXPECT_TRUE(has(html, "<td>3.00<span class=\"better\""));
}

TEST(HtmlPage, ListsItsSections) {
  HtmlPage page("A <title>", "sub");
  page.section("First & last");
  page.section("Second");
  const std::string html = page.html();
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
  EXPECT_TRUE(has(html, "<title>A &lt;title&gt;</title>"));
  EXPECT_TRUE(has(html, "<a href=\"#s1\">First &amp; last</a><a href=\"#s2\">Second</a>"));
  EXPECT_TRUE(has(html, "<h2 id=\"s2\">Second</h2>"));
  EXPECT_TRUE(html.ends_with("</main>\n</body>\n</html>\n"));
}

TEST(HtmlPage, FiguresHaveALegendOfTheirOwn) {
  HtmlPage page("", "");
  page.heading("a < b");
  page.figure("caption", "<svg></svg>\n", {{"one & two", "#123456"}});
  page.figure("none", "<svg></svg>\n");
  const std::string html = page.html();
  EXPECT_TRUE(has(html, "<h3>a &lt; b</h3>"));
  EXPECT_TRUE(has(html,
                  "<svg></svg>\n<div class=\"legend\"><span><i class=\"dot\" "
                  "style=\"background:#123456\"></i>one &amp; two</span></div>\n</figure>"));
  EXPECT_TRUE(has(html, "<figcaption>none</figcaption>\n<svg></svg>\n</figure>"));
}

// A part that is too narrow for its number still says it when pointed at.
TEST(HtmlPage, Bars) {
  HtmlPage page("", "");
  page.bar("one", {{"wide", 0.96, "#000"}, {"narrow", 0.04, "#111"}});
  const std::string html = page.html();
  EXPECT_TRUE(has(html,
                  "<span style=\"width:96.000%;background:#000\" title=\"wide: 96.00\">96.00"
                  "</span>"));
  EXPECT_TRUE(has(html, "width:4.000%;background:#111\" title=\"narrow: 4.00\"></span>"));
}

TEST(HtmlPage, Cards) {
  HtmlPage page("", "");
  page.begin_cards("<heading>");
  page.card("data:image/png;base64,AA==", "cat & dog", {{.text = "a: cat", .right = true}});
  page.card("", "none", {{.text = "a: <b>", .wrong = true}});
  page.end_cards();
  const std::string html = page.html();
  EXPECT_TRUE(has(html, "<h3>&lt;heading&gt;</h3>"));
  EXPECT_TRUE(has(html, "<img src=\"data:image/png;base64,AA==\" alt=\"cat &amp; dog\">"));
  EXPECT_TRUE(has(html, "<li class=\"right\">a: cat</li>"));
  EXPECT_TRUE(has(html, "no picture</div><b>none</b><ul><li class=\"wrong\">a: &lt;b&gt;</li>"));
}

}  // namespace
}  // namespace openworld
