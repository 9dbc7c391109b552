#include "openworld/report/html_page.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <span>

#include "openworld/io/sha256.h"
#include "openworld/report/data_uri.h"
#include "openworld/report/swatch.h"

namespace openworld {
namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(HtmlTable, EscapesAndMarks) {
  HtmlTable table({"a<b", "x"});
  table.add({{.text = "one & two"}, {.text = "1.00", .best = true, .hint = "\"why\""}}, 8,
            HtmlTable::Kind::kMethod);
  table.add({{.text = "three"}, {.text = "2.00", .mark = HtmlTable::Mark::kWorse}});
  table.add({{.text = "four"}, {.text = "3.00", .mark = HtmlTable::Mark::kBetter}});
  const std::string html = table.html();
  EXPECT_TRUE(has(html, "<th scope=\"col\">a&lt;b</th><th scope=\"col\">x</th>"));
  EXPECT_TRUE(has(html, "<tr data-m=\"8\"><th scope=\"row\">" + swatch(8) +
                            "one &amp; two</th>"
                            "<td title=\"&quot;why&quot;\"><b>1.00</b></td>"));
  EXPECT_TRUE(has(html, "<td>2.00<span class=\"mark-worse\""));
  EXPECT_TRUE(has(html, "<td>3.00<span class=\"mark-better\""));
}

TEST(HtmlPage, ListsItsSections) {
  HtmlPage page("A <title>", "sub");
  page.section("First & last");
  page.section("Second");
  const std::string html = page.html();
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
  EXPECT_TRUE(has(html, "<title>A &lt;title&gt;</title>"));
  EXPECT_TRUE(has(html, "<a href=\"#s1\">First &amp; last</a><a href=\"#s2\">Second</a>"));
  EXPECT_TRUE(has(html, "<h2 id=\"s2\" tabindex=\"-1\">Second</h2>"));
  EXPECT_TRUE(html.ends_with("</script>\n</body>\n</html>\n"));
}

TEST(HtmlPage, FiguresHaveALegendOfTheirOwn) {
  HtmlPage page("", "");
  page.heading("a < b");
  page.figure("caption", "<svg></svg>\n", {{"one & two", 3}});
  page.figure("none", "<svg></svg>\n");
  const std::string html = page.html();
  EXPECT_TRUE(has(html, "<h3>a &lt; b</h3>"));
  EXPECT_TRUE(has(html, "<svg></svg>\n<div class=\"legend\"><span>" + swatch(3) +
                            "one &amp; two</span></div>\n</figure>"));
  EXPECT_TRUE(has(html, "<figcaption>none</figcaption>\n<svg></svg>\n</figure>"));
}

// A part that is too narrow for its number still says it when pointed at.
TEST(HtmlPage, Bars) {
  HtmlPage page("", "");
  page.shades({"wide", "a < b"});
  page.bar("one", {{"wide", 0.96}, {"narrow", 0.04}}, 5);
  const std::string html = page.html();
  EXPECT_TRUE(has(html, "a &lt; b</span></div>"));
  EXPECT_TRUE(has(html, "<div class=\"bar\" data-m=\"5\"><strong>one</strong>"));
  EXPECT_TRUE(has(html, "aria-label=\"wide: 96.00, narrow: 4.00\""));
  EXPECT_TRUE(has(html, "dy=\".35em\">96.00</text>"));
  EXPECT_TRUE(
      has(html, "x=\"96.000%\" width=\"4.000%\" height=\"100%\"><title>narrow: 4.00</title>"));
  EXPECT_FALSE(has(html, ">4.00</text>"));
}

TEST(HtmlPage, MethodsKeepTheirNumbers) {
  HtmlPage page("", "");
  EXPECT_EQ(page.method("a"), 0u);
  EXPECT_EQ(page.method("b"), 1u);
  EXPECT_EQ(page.method("a"), 0u);
  EXPECT_EQ(page.methods(), (std::vector<std::string>{"a", "b"}));
}

// Whatever data holds, it does not end its element, and no other script runs.
TEST(HtmlPage, DataIsNoMarkup) {
  HtmlPage page("", "");
  page.finding("a < b");
  page.data({{"name", "</script><script>alert(1)</script><!--"}});
  page.view("x\"y", "w < v");
  const std::string html = page.html();
  EXPECT_TRUE(has(html, "<p class=\"finding\">a &lt; b</p>"));
  EXPECT_TRUE(has(html, "\\u003c/script>\\u003cscript>alert(1)"));
  EXPECT_TRUE(has(html, "<div data-view=\"x&quot;y\"><p class=\"note unscripted\">w &lt; v</p>"));
  std::size_t scripts = 0;
  for (std::size_t at = 0; (at = html.find("<script", at)) != std::string::npos; ++at) ++scripts;
  EXPECT_EQ(scripts, 2u);
}

// The hashes are those of the style and the script as they stand in the page.
TEST(HtmlPage, PolicyNamesWhatIsThere) {
  const std::string html = HtmlPage("", "").html();
  const auto between = [&](std::string_view from, std::string_view to) {
    const std::size_t at = html.find(from) + from.size();
    return html.substr(at, html.find(to, at) - at);
  };
  for (const auto& [directive, tag] :
       {std::pair("script-src", "script"), std::pair("style-src", "style")}) {
    const std::string text = between(std::string("<") + tag + ">", std::string("</") + tag + ">");
    const auto digest = sha256(std::as_bytes(std::span(text)));
    EXPECT_TRUE(has(html, std::string(directive) + " 'sha256-" +
                              base64(std::as_bytes(std::span(digest))) + "';"))
        << directive;
  }
  EXPECT_TRUE(has(html, "content=\"default-src 'none'; "));
  EXPECT_FALSE(has(html, "unsafe"));
  EXPECT_FALSE(has(html, " style="));
}

}  // namespace
}  // namespace openworld
