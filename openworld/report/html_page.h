#pragma once

// A self-contained HTML page: inline style, no scripts, no external files. Light or dark by the
// reader's system, and legible without style.

#include <string>
#include <string_view>
#include <vector>

namespace openworld {

// A table: the first column names rows, the others are numbers. Cells are text, escaped here.
class HtmlTable {
 public:
  explicit HtmlTable(std::vector<std::string> header) : header_(std::move(header)) {}

  enum class Mark { kNone, kBetter, kWorse };  // an arrow up or down after the text
  struct Cell {
    std::string text;
    Mark mark = Mark::kNone;
    bool best = false;   // bold
    std::string hint{};  // shown when pointed at
  };

  // REQUIRES: as many cells as the header. `colour` is put beside the first cell unless empty.
  void add(std::vector<Cell> cells, std::string_view colour = "");

  std::string html() const;

 private:
  struct Row {
    std::vector<Cell> cells;
    std::string colour;
  };
  std::vector<std::string> header_;
  std::vector<Row> rows_;
};

// A part of a stacked bar.
struct BarPart {
  std::string name;
  double share = 0;  // of the whole bar
  std::string_view colour;
};

class HtmlPage {
 public:
  HtmlPage(std::string title, std::string subtitle);

  // Sections are listed at the top of the page.
  void section(std::string_view heading);
  void heading(std::string_view text);  // within a section; not listed
  void paragraph(std::string_view text);
  void note(std::string_view text);  // smaller
  void table(const HtmlTable& table);
  // A collapsed table, too long for the page.
  void folded_table(std::string_view summary, const HtmlTable& table);

  // Names with their colours.
  struct Key {
    std::string name;
    std::string_view colour;
  };

  // Figures between begin and end stand side by side where there is room. `keys` are a legend of
  // the figure's own.
  void begin_figures();
  void figure(std::string_view caption, const std::string& svg, const std::vector<Key>& keys = {});
  void end_figures();

  void legend(const std::vector<Key>& keys);
  void bar(std::string_view name, const std::vector<BarPart>& parts);

  // Cards between begin and end, each an image (a data: URI; none if empty) and lines below it.
  struct CardLine {
    std::string text;
    bool right = false, wrong = false;
  };
  void begin_cards(std::string_view heading);
  void card(const std::string& uri, std::string_view title, const std::vector<CardLine>& lines);
  void end_cards();

  std::string html() const;

 private:
  std::string title_, subtitle_;
  std::vector<std::string> headings_;
  std::string body_;
};

}  // namespace openworld
