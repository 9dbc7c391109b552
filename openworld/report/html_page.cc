#include "openworld/report/html_page.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "openworld/report/svg_plot.h"

namespace openworld {
namespace {

constexpr std::string_view kStyle = R"(:root { color-scheme: light dark;
  --back: #ffffff; --text: #1d2430; --soft: #5c6675; --line: #d9dee6; --card: #f5f7fa;
  --good: #00735a; --bad: #b34700; --link: #005a94; }
@media (prefers-color-scheme: dark) { :root {
  --back: #14181f; --text: #e4e8ee; --soft: #9aa5b4; --line: #333c49; --card: #1d232d;
  --good: #4fd1ac; --bad: #ff9a5c; --link: #7cc4f5; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 68rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .3rem; }
h2 { font-size: 1.3rem; margin: 2.8rem 0 .6rem; padding-top: .8rem; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.4rem 0 .5rem; }
p { max-width: 46rem; margin: .5rem 0; }
a { color: var(--link); }
.subtitle, .note, figcaption { color: var(--soft); }
.note { font-size: .88rem; }
nav { margin: 1rem 0 0; display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; font-size: .92rem; }
.wide { overflow-x: auto; margin: .9rem 0; }
table { border-collapse: collapse; font-size: .94rem; font-variant-numeric: tabular-nums; }
th, td { padding: .38rem .8rem; text-align: right; white-space: nowrap; }
th:first-child { text-align: left; padding-left: .2rem; }
thead th { border-bottom: 2px solid var(--line); font-weight: 600; color: var(--soft); }
tbody th { font-weight: 500; }
tbody tr + tr > * { border-top: 1px solid var(--line); }
tbody tr:hover { background: var(--card); }
.better { color: var(--good); margin-left: .3em; font-size: .8em; }
.worse { color: var(--bad); margin-left: .3em; font-size: .8em; }
.dot { display: inline-block; width: .7em; height: .7em; border-radius: 50%; margin-right: .55em; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.4rem; margin: .8rem 0; font-size: .94rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr));
  gap: 1.4rem; margin: 1rem 0; }
figure { margin: 0; }
figure svg { width: 100%; max-width: 34rem; height: auto; display: block; }
figcaption { font-size: .92rem; margin-bottom: .4rem; }
.bar { display: grid; grid-template-columns: minmax(7rem, 16rem) 1fr; gap: .8rem; align-items: center;
  margin: .35rem 0; font-size: .94rem; }
.bar > div { display: flex; height: 1.7rem; border-radius: 4px; overflow: hidden; }
.bar span { color: #fff; font-size: .8rem; line-height: 1.7rem; text-align: center; overflow: hidden;
  white-space: nowrap; font-variant-numeric: tabular-nums; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(12.5rem, 1fr)); gap: .9rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .7rem;
  font-size: .86rem; }
.card img { width: 100%; height: 9rem; object-fit: contain; background: #fff; border-radius: 4px; }
.card .none { height: 9rem; display: grid; place-items: center; color: var(--soft); }
.card b { display: block; margin: .4rem 0 .2rem; font-size: .95rem; }
.card ul { list-style: none; margin: 0; padding: 0; }
.right::before { content: "\2713  "; color: var(--good); font-weight: 700; }
.wrong::before { content: "\2717  "; color: var(--bad); font-weight: 700; }
details { margin: .6rem 0; } summary { cursor: pointer; }
@media print { nav { display: none; } body { font-size: 12px; } h2 { break-after: avoid; }
  figure, .card, tr { break-inside: avoid; } }
)";

}  // namespace

HtmlPage::HtmlPage(std::string title, std::string subtitle)
    : title_(std::move(title)), subtitle_(std::move(subtitle)) {}

void HtmlPage::section(std::string_view heading) {
  headings_.emplace_back(heading);
  body_ += fmt::format("<h2 id=\"s{}\">{}</h2>\n", headings_.size(), xml_escape(heading));
}

void HtmlPage::heading(std::string_view text) {
  body_ += fmt::format("<h3>{}</h3>\n", xml_escape(text));
}

void HtmlPage::paragraph(std::string_view text) {
  body_ += fmt::format("<p>{}</p>\n", xml_escape(text));
}

void HtmlPage::note(std::string_view text) {
  body_ += fmt::format("<p class=\"note\">{}</p>\n", xml_escape(text));
}

void HtmlPage::table(const HtmlTable& table) {
  body_ += table.html();
}

void HtmlPage::folded_table(std::string_view summary, const HtmlTable& table) {
  body_ += fmt::format("<details><summary>{}</summary>\n{}</details>\n", xml_escape(summary),
                       table.html());
}

void HtmlPage::begin_figures() {
  body_ += "<div class=\"figures\">\n";
}

void HtmlPage::figure(std::string_view caption, const std::string& svg,
                      const std::vector<Key>& keys) {
  body_ += fmt::format("<figure><figcaption>{}</figcaption>\n{}", xml_escape(caption), svg);
  if (!keys.empty()) legend(keys);
  body_ += "</figure>\n";
}

void HtmlPage::end_figures() {
  body_ += "</div>\n";
}

void HtmlPage::legend(const std::vector<Key>& keys) {
  body_ += "<div class=\"legend\">";
  for (const Key& key : keys) {
    body_ += fmt::format("<span><i class=\"dot\" style=\"background:{}\"></i>{}</span>", key.colour,
                         xml_escape(key.name));
  }
  body_ += "</div>\n";
}

void HtmlPage::bar(std::string_view name, const std::vector<BarPart>& parts) {
  constexpr double kLegible = 0.07;  // narrower parts have no room for their number
  body_ += fmt::format("<div class=\"bar\"><strong>{}</strong><div>", xml_escape(name));
  for (const BarPart& part : parts) {
    const std::string number = fmt::format("{:.2f}", 100 * part.share);
    body_ += fmt::format("<span style=\"width:{:.3f}%;background:{}\" title=\"{}: {}\">{}</span>",
                         100 * part.share, part.colour, xml_escape(part.name), number,
                         part.share < kLegible ? "" : number);
  }
  body_ += "</div></div>\n";
}

void HtmlPage::begin_cards(std::string_view heading) {
  body_ += fmt::format("<h3>{}</h3>\n<div class=\"cards\">\n", xml_escape(heading));
}

void HtmlPage::card(const std::string& uri, std::string_view title,
                    const std::vector<CardLine>& lines) {
  body_ += "<div class=\"card\">";
  body_ += uri.empty() ? "<div class=\"none\">no picture</div>"
                       : fmt::format("<img src=\"{}\" alt=\"{}\">", uri, xml_escape(title));
  body_ += fmt::format("<b>{}</b><ul>", xml_escape(title));
  for (const CardLine& line : lines) {
    body_ += fmt::format("<li{}>{}</li>",
                         line.right   ? " class=\"right\""
                         : line.wrong ? " class=\"wrong\""
                                      : "",
                         xml_escape(line.text));
  }
  body_ += "</ul></div>\n";
}

void HtmlPage::end_cards() {
  body_ += "</div>\n";
}

std::string HtmlPage::html() const {
  const std::string title = xml_escape(title_);
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n<h1>{}</h1>\n"
      "<p class=\"subtitle\">{}</p>\n<nav>",
      title, kStyle, title, xml_escape(subtitle_));
  for (std::size_t i = 0; i < headings_.size(); ++i) {
    out += fmt::format("<a href=\"#s{}\">{}</a>", i + 1, xml_escape(headings_[i]));
  }
  return out + "</nav>\n" + body_ + "</main>\n</body>\n</html>\n";
}

}  // namespace openworld
