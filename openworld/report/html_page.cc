#include "openworld/report/html_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "openworld/io/dump_line.h"
#include "openworld/io/sha256.h"
#include "openworld/report/data_uri.h"
#include "openworld/report/svg_plot.h"
#include "openworld/report/swatch.h"
#include "openworld/report/web_assets.h"

namespace openworld {
namespace {

// A policy by hashes: nothing is loaded, and no other script or style is applied, whatever a name
// in the data looks like. Pictures are data: URIs.
std::string policy() {
  const auto hash = [](std::string_view text) {
    const Sha256Digest digest = sha256(std::as_bytes(std::span(text)));
    return "'sha256-" + base64(std::as_bytes(std::span(digest))) + "'";
  };
  return fmt::format(
      "default-src 'none'; script-src {}; style-src {}; img-src data:; base-uri 'none'; "
      "form-action 'none'",
      hash(kPageScript), hash(kPageStyle));
}

}  // namespace

HtmlPage::HtmlPage(std::string title, std::string subtitle)
    : title_(std::move(title)), subtitle_(std::move(subtitle)) {}

void HtmlPage::section(std::string_view heading) {
  headings_.emplace_back(heading);
  body_ += fmt::format("<h2 id=\"s{}\" tabindex=\"-1\">{}</h2>\n", headings_.size(),
                       xml_escape(heading));
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
    body_ += fmt::format("<span>{}{}</span>", swatch(key.series), xml_escape(key.name));
  }
  body_ += "</div>\n";
}

void HtmlPage::shades(const std::vector<std::string>& names) {
  body_ += "<div class=\"legend\">";
  for (std::size_t i = 0; i < names.size(); ++i) {
    body_ += fmt::format(
        "<span><svg class=\"dot\" viewBox=\"0 0 18 10\" aria-hidden=\"true\"><path class=\"s{}\" "
        "d=\"M0 0H18V10H0z\"/></svg>{}</span>",
        i, xml_escape(names[i]));
  }
  body_ += "</div>\n";
}

void HtmlPage::bar(std::string_view name, const std::vector<BarPart>& parts,
                   std::optional<std::size_t> method) {
  assert(parts.size() <= kBarShades);
  constexpr double kLegible = 0.07;  // narrower parts have no room for their number
  body_ += fmt::format("<div class=\"bar\"{}><strong>{}</strong><svg role=\"img\" aria-label=\"",
                       method ? fmt::format(" data-m=\"{}\"", *method) : "", xml_escape(name));
  std::string label, drawn;
  double left = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const BarPart& part = parts[i];
    const std::string number = fmt::format("{:.2f}", 100 * part.share);
    const std::string said = xml_escape(part.name) + ": " + number;
    label += (i == 0 ? "" : ", ") + said;
    drawn += fmt::format(
        "<rect class=\"s{}\" x=\"{:.3f}%\" width=\"{:.3f}%\" height=\"100%\">"
        "<title>{}</title></rect>",
        i, 100 * left, 100 * part.share, said);
    if (part.share >= kLegible) {
      drawn += fmt::format("<text class=\"s{}\" x=\"{:.2f}%\" y=\"50%\" dy=\".35em\">{}</text>", i,
                           100 * (left + part.share / 2), number);
    }
    left += part.share;
  }
  body_ += label + "\">" + drawn + "</svg></div>\n";
}

std::size_t HtmlPage::method(const std::string& name) {
  const auto found = std::ranges::find(methods_, name);
  if (found == methods_.end()) {
    methods_.push_back(name);
    return methods_.size() - 1;
  }
  return static_cast<std::size_t>(found - methods_.begin());
}

void HtmlPage::data(const nlohmann::ordered_json& data) {
  // "<" is in strings alone, where its escape means the same.
  data_.clear();
  for (const char c : dump_line(data)) {
    if (c == '<') {
      data_ += "\\u003c";
    } else {
      data_ += c;
    }
  }
}

void HtmlPage::view(std::string_view name, std::string_view without) {
  body_ += fmt::format("<div data-view=\"{}\"><p class=\"note unscripted\">{}</p></div>\n",
                       xml_escape(name), xml_escape(without));
}

std::string HtmlPage::html() const {
  const std::string title = xml_escape(title_);
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n<h1>{}</h1>\n",
      policy(), title, kPageStyle, title);
  if (!finding_.empty()) {
    out += fmt::format("<p class=\"finding\">{}</p>\n", xml_escape(finding_));
  }
  out += fmt::format("<p class=\"subtitle\">{}</p>\n<nav aria-label=\"sections\">",
                     xml_escape(subtitle_));
  for (std::size_t i = 0; i < headings_.size(); ++i) {
    out += fmt::format("<a href=\"#s{}\">{}</a>", i + 1, xml_escape(headings_[i]));
  }
  out += "</nav>\n<div data-view=\"methods\"></div>\n";
  out += body_;
  out += "</main>\n<div id=\"said\" role=\"status\" aria-live=\"polite\"></div>\n";
  if (!data_.empty()) {
    out += "<script type=\"application/json\" id=\"data\">" + data_ + "</script>\n";
  }
  out += fmt::format("<script>{}</script>\n</body>\n</html>\n", kPageScript);
  return out;
}

}  // namespace openworld
