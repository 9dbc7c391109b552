#include <fmt/format.h>

#include <cassert>
#include <iterator>

#include "openworld/report/html_page.h"
#include "openworld/report/svg_plot.h"
#include "openworld/report/swatch.h"

namespace openworld {
namespace {

std::string_view arrow(HtmlTable::Mark mark) {
  switch (mark) {
    case HtmlTable::Mark::kBetter:
      return "<span class=\"mark-better\" title=\"significantly better\">&#9650;</span>";
    case HtmlTable::Mark::kWorse:
      return "<span class=\"mark-worse\" title=\"significantly worse\">&#9660;</span>";
    case HtmlTable::Mark::kNone:
      break;
  }
  return "";
}

}  // namespace

void HtmlTable::add(std::vector<Cell> cells, std::optional<std::size_t> series, Kind kind) {
  assert(cells.size() == header_.size());
  rows_.push_back({std::move(cells), series, kind});
}

std::string HtmlTable::html() const {
  // Cells of many columns may take two lines, so that the last column is on the screen, too.
  constexpr std::size_t kMany = 7;
  std::string out = fmt::format("<div class=\"wide\"><table class=\"sortable{}\">\n<thead><tr>",
                                header_.size() > kMany ? " many" : "");
  const auto to = std::back_inserter(out);
  for (const std::string& name : header_) {
    fmt::format_to(to, "<th scope=\"col\">{}</th>", xml_escape(name));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const Row& row : rows_) {
    const bool hides = row.series && row.kind == Kind::kMethod;
    out += hides ? fmt::format("<tr data-m=\"{}\">", *row.series) : "<tr>";
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      const Cell& cell = row.cells[c];
      const std::string text = xml_escape(cell.text);
      if (c == 0) {
        out += "<th scope=\"row\">";
        if (row.series) out += swatch(*row.series);
        out += text + "</th>";
        continue;
      }
      out += "<td";
      if (!cell.hint.empty()) fmt::format_to(to, " title=\"{}\"", xml_escape(cell.hint));
      fmt::format_to(to, ">{}{}</td>", cell.best ? "<b>" + text + "</b>" : text, arrow(cell.mark));
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace openworld
