#include "openworld/report/study_table_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "openworld/base/quotes.h"
#include "openworld/io/csv_cell.h"
#include "openworld/report/text_table.h"

namespace openworld {
namespace {

// What differs between formats of tables for people.
struct Style {
  std::string (*escape)(std::string_view);
  // A value with its interval, count and marks. `value` is not empty.
  std::string (*cell)(const TableCell& cell, const std::string& value, const std::string& reach,
                      const std::string& count);
};

std::string as_is(std::string_view text) {
  return std::string(text);
}

std::string joined(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + " " + b;
}

std::string text_cell(const TableCell& cell, const std::string& value, const std::string& reach,
                      const std::string& count) {
  std::string text = joined(joined(value, reach), count);
  // Marks take their place in every cell, so that numbers stay aligned.
  text += cell.best ? '*' : ' ';
  return text + (cell.mark > 0 ? '+' : cell.mark < 0 ? '-' : ' ');
}

std::string md_cell(const TableCell& cell, const std::string& value, const std::string& reach,
                    const std::string& count) {
  std::string text = joined(value, reach);
  if (cell.best) text = "**" + text + "**";
  if (cell.mark != 0) text += cell.mark > 0 ? " ▲" : " ▼";
  return joined(text, count);
}

std::string md_escape(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>|#~").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c == '\n' || c == '\r' ? ' ' : c;
  }
  return escaped;
}

std::string latex_cell(const TableCell& cell, const std::string& value, const std::string& reach,
                       const std::string& count) {
  // A minus of mathematics, not a hyphen.
  std::string text = value.starts_with('-') && value.size() > 1 ? "$-$" + value.substr(1) : value;
  if (value.starts_with('+')) text = "$+$" + value.substr(1);
  if (cell.best) text = "\\textbf{" + text + "}";
  if (!reach.empty()) {
    // Past the sign, which is two bytes of UTF-8.
    text += " {\\scriptsize$\\pm$" + reach.substr(2) + "}";
  }
  if (cell.mark != 0) text += cell.mark > 0 ? "$^{\\uparrow}$" : "$^{\\downarrow}$";
  return joined(text, count);
}

std::string latex_escape(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '\\':
        escaped += "\\textbackslash{}";
        break;
      case '~':
        escaped += "\\textasciitilde{}";
        break;
      case '^':
        escaped += "\\textasciicircum{}";
        break;
      case '<':
        escaped += "\\textless{}";
        break;
      case '>':
        escaped += "\\textgreater{}";
        break;
      case '|':
        escaped += "\\textbar{}";
        break;
      case '"':
        escaped += "\\textquotedbl{}";
        break;
      case '&':
      case '%':
      case '$':
      case '#':
      case '_':
      case '{':
      case '}':
        escaped += '\\';
        escaped += c;
        break;
      default:
        escaped += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    }
  }
  return escaped;
}

std::string styled(const Style& style, const TableColumn& column, const TableCell& cell) {
  const std::string value = table_value_text(column, cell.measured);
  if (value.empty()) return "";
  return style.cell(cell, value, table_reach_text(column, cell.measured),
                    cell.measured.value ? table_count_text(cell.measured) : "");
}

std::vector<std::string> row_of(const Style& style, const StudyTable& table, std::size_t method) {
  std::vector<std::string> row = {style.escape(table.methods[method])};
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    row.push_back(styled(style, table.columns[c], table.cells[method][c]));
  }
  return row;
}

// What notes call the marks.
struct MarkWords {
  std::string best, better, worse;
};

std::vector<std::string> notes_of(const StudyTable& table, const MarkWords& words) {
  std::vector<std::string> notes;
  const bool any = std::ranges::any_of(table.cells, [](const auto& row) {
    return std::ranges::any_of(row, [](const TableCell& cell) { return cell.best; });
  });
  if (any) notes.push_back(words.best + ": best of the column");
  for (std::string note : {interval_note(table), test_note(table, words.better, words.worse)}) {
    if (!note.empty()) notes.push_back(std::move(note));
  }
  notes.insert(notes.end(), table.notes.begin(), table.notes.end());
  return notes;
}

// Tables one after the other; notes that the next table has too are printed once.
template <class Table, class Note>
std::string document(std::span<const StudyTable> tables, const MarkWords& words,
                     const Table& table_text, const Note& note_text) {
  std::string text;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (i > 0) text += "\n";
    text += table_text(tables[i]);
    const std::vector<std::string> notes = notes_of(tables[i], words);
    if (i + 1 < tables.size() && notes == notes_of(tables[i + 1], words)) continue;
    text += note_text(notes);
  }
  return text;
}

std::string write_text(std::span<const StudyTable> tables) {
  const Style style{as_is, text_cell};
  return document(
      tables, {"*", "+", "-"},
      [&](const StudyTable& table) {
        std::vector<std::string> header = {table_heading(table)};
        // As wide as the marks of a cell.
        for (const TableColumn& column : table.columns) header.push_back(column.title + "  ");
        TextTable lines(header);
        for (std::size_t m = 0; m < table.methods.size(); ++m) {
          lines.add(row_of(style, table, m));
        }
        return lines.text();
      },
      [](const std::vector<std::string>& notes) {
        std::string text = notes.empty() ? "" : "\n";
        for (const std::string& note : notes) text += note + "\n";
        return text;
      });
}

std::string write_md(std::span<const StudyTable> tables) {
  const Style style{md_escape, md_cell};
  const auto line = [](const std::vector<std::string>& cells) {
    return fmt::format("| {} |\n", fmt::join(cells, " | "));
  };
  return document(
      tables, {"bold", "▲", "▼"},
      [&](const StudyTable& table) {
        std::vector<std::string> header = {"method"}, rule = {"---"};
        for (const TableColumn& column : table.columns) {
          header.push_back(md_escape(column.title));
          rule.push_back("---:");
        }
        std::string text = fmt::format("**{}**\n\n{}|{}|\n", md_escape(table_heading(table)),
                                       line(header), fmt::join(rule, "|"));
        for (std::size_t m = 0; m < table.methods.size(); ++m) {
          text += line(row_of(style, table, m));
        }
        return text;
      },
      [](const std::vector<std::string>& notes) {
        std::string text = notes.empty() ? "" : "\n";
        for (const std::string& note : notes) {
          text += fmt::format("{}{}", &note == notes.data() ? "" : "; ", md_escape(note));
        }
        return notes.empty() ? text : text + ".\n";
      });
}

// Plain LaTeX for what notes are made of.
std::string latex_note(const std::string& note) {
  std::string text = latex_escape(note);
  const auto replace = [&](std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
      text.replace(at, from.size(), to);
    }
  };
  replace("±", "$\\pm$");
  replace("▲", "$\\uparrow$");
  replace("▼", "$\\downarrow$");
  return text;
}

std::string write_latex(std::span<const StudyTable> tables) {
  const Style style{latex_escape, latex_cell};
  std::string text = "% needs \\usepackage[T1]{fontenc} and \\usepackage{booktabs}\n";
  for (const StudyTable& table : tables) {
    std::vector<std::string> notes = notes_of(table, {"bold", "▲", "▼"});
    for (std::string& note : notes) note = latex_note(note);
    text += fmt::format("\\begin{{table}}\n\\centering\n\\caption{{{}{}{}.}}\n",
                        latex_escape(table_heading(table)), notes.empty() ? "" : "; ",
                        fmt::join(notes, "; "));
    text += fmt::format("\\begin{{tabular}}{{l{}}}\n\\toprule\nMethod",
                        std::string(table.columns.size(), 'r'));
    for (const TableColumn& column : table.columns) text += " & " + latex_escape(column.title);
    text += " \\\\\n\\midrule\n";
    for (std::size_t m = 0; m < table.methods.size(); ++m) {
      text += fmt::format("{} \\\\\n", fmt::join(row_of(style, table, m), " & "));
    }
    text += "\\bottomrule\n\\end{tabular}\n\\end{table}\n";
  }
  return text;
}

std::string csv_number(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

std::string write_csv(std::span<const StudyTable> tables) {
  std::string text =
      "scenario,level,metric,dataset,method,column,value,low,high,interval,difference,p,best,mark,"
      "done,cells\r\n";
  for (const StudyTable& table : tables) {
    for (std::size_t m = 0; m < table.methods.size(); ++m) {
      for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const TableCell& cell = table.cells[m][c];
        const StudyValue& value = cell.measured;
        std::optional<double> low, high;
        if (value.interval) low = value.interval->low, high = value.interval->high;
        std::vector<std::string> words = {table.title,
                                          table.level,
                                          table.metric,
                                          table.world,
                                          table.methods[m],
                                          table.columns[c].name,
                                          csv_number(value.value),
                                          csv_number(low),
                                          csv_number(high),
                                          value.interval ? std::string(value.interval->method) : "",
                                          csv_number(value.difference),
                                          csv_number(value.p),
                                          cell.best ? "1" : "0",
                                          std::to_string(cell.mark),
                                          std::to_string(value.done),
                                          std::to_string(value.cells)};
        for (std::string& word : words) word = csv_cell(printable_line(word));
        fmt::format_to(std::back_inserter(text), "{}\r\n", fmt::join(words, ","));
      }
    }
  }
  return text;
}

constexpr TableFormat kFormats[] = {
    {"text", write_text}, {"md", write_md}, {"latex", write_latex}, {"csv", write_csv}};

}  // namespace

std::span<const TableFormat> table_formats() {
  return kFormats;
}

std::string table_count_text(const StudyValue& value) {
  return value.complete() ? "" : fmt::format("({}/{})", value.done, value.cells);
}

std::string table_value_text(const TableColumn& column, const StudyValue& value) {
  if (value.cells == 0) return "";
  if (value.value) {
    const double shown = *value.value * column.scale;
    return column.sign ? fmt::format("{:+.{}f}", shown, column.decimals)
                       : fmt::format("{:.{}f}", shown, column.decimals);
  }
  return value.complete() ? "-" : table_count_text(value);
}

std::string table_reach_text(const TableColumn& column, const StudyValue& value) {
  if (!value.value || !value.interval) return "";
  const double reach = (value.interval->high - value.interval->low) / 2 * column.scale;
  return fmt::format("±{:.{}f}", reach, column.decimals);
}

std::string interval_note(const StudyTable& table) {
  const bool any = std::ranges::any_of(table.cells, [](const auto& row) {
    return std::ranges::any_of(
        row, [](const TableCell& cell) { return cell.measured.interval.has_value(); });
  });
  if (table.interval.empty()) return "";
  if (!any) return "no intervals: there is one seed, or no method is complete";
  return fmt::format("± is half the {:g} % interval over {}", table.confidence * 100,
                     table.interval == "student_t" ? "seeds (Student's t)"
                                                   : "test samples and seeds (two-way bootstrap)");
}

std::string test_note(const StudyTable& table, const std::string& better,
                      const std::string& worse) {
  if (!table.reference || table.interval.empty() || table.methods.size() < 2) return "";
  return fmt::format(
      "{} better, {} worse than {} at {:g} % (paired, Holm's correction over the methods of a "
      "column)",
      better, worse, table.methods[*table.reference], (1 - table.confidence) * 100);
}

}  // namespace openworld
