#pragma once

// A self-contained HTML page: style, data and script are in it, and it loads nothing. A policy in
// its head lets the browser run only that script. Tables and figures are legible without script and
// style; the script (web/) sorts and copies tables, hides methods, and fills the views.
//
// All texts are escaped here; data for the script is JSON, which cannot end its element.

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
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

  // REQUIRES: as many cells as the header. `series` has its mark beside the first cell. With
  // `method` it is a method of the page, with which the row is hidden.
  enum class Kind { kSeries, kMethod };
  void add(std::vector<Cell> cells, std::optional<std::size_t> series = {},
           Kind kind = Kind::kSeries);

  std::string html() const;

 private:
  struct Row {
    std::vector<Cell> cells;
    std::optional<std::size_t> series;
    Kind kind;
  };
  std::vector<std::string> header_;
  std::vector<Row> rows_;
};

// A part of a stacked bar. Parts are told apart by shades, in their order; there are four.
struct BarPart {
  std::string name;
  double share = 0;  // of the whole bar
};
inline constexpr std::size_t kBarShades = 4;

class HtmlPage {
 public:
  HtmlPage(std::string title, std::string subtitle);

  // One sentence above everything: what was found, and how sure it is. The last one stays.
  void finding(std::string text) { finding_ = std::move(text); }
  bool has_finding() const { return !finding_.empty(); }

  // The number of a method, the next one if its name is new: its colour everywhere on the page.
  std::size_t method(const std::string& name);
  const std::vector<std::string>& methods() const { return methods_; }

  // What the script shows in the views; see page_data.h.
  void data(const nlohmann::ordered_json& data);

  // A place that the script fills. Without it there is only the sentence `without`.
  void view(std::string_view name, std::string_view without);

  // Sections are listed at the top of the page.
  void section(std::string_view heading);
  void heading(std::string_view text);  // within a section; not listed
  void paragraph(std::string_view text);
  void note(std::string_view text);  // smaller
  void table(const HtmlTable& table);
  // A collapsed table, too long for the page.
  void folded_table(std::string_view summary, const HtmlTable& table);

  // Names with the mark of their series.
  struct Key {
    std::string name;
    std::size_t series = 0;
  };

  // Figures between begin and end stand side by side where there is room. `keys` are a legend of
  // the figure's own.
  void begin_figures();
  void figure(std::string_view caption, const std::string& svg, const std::vector<Key>& keys = {});
  void end_figures();

  void legend(const std::vector<Key>& keys);
  // The names of the shades of bars.
  void shades(const std::vector<std::string>& names);
  // REQUIRES: at most kBarShades parts.
  void bar(std::string_view name, const std::vector<BarPart>& parts,
           std::optional<std::size_t> method = {});

  std::string html() const;

 private:
  std::string title_, subtitle_, finding_;
  std::vector<std::string> headings_, methods_;
  std::string body_, data_;
};

}  // namespace openworld
