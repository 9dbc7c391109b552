#include "openworld/report/study_table_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "openworld/base/quotes.h"
#include "openworld/io/csv_cell.h"
#include "openworld/report/text_table.h"

namespace openworld {
namespace {

TextCell cell_of(const TableColumn& column, const TableCell& cell) {
  TextCell text(table_value_text(column, cell.measured));
  if (text.text.empty()) return text;
  text.reach = table_reach_text(column, cell.measured);
  if (cell.measured.value) text.count = table_count_text(cell.measured);
  text.starred = cell.best;
  text.mark = cell.mark;
  return text;
}

// `corner` stands above the methods, `ending` behind the title of every other column.
TextTable table_of(const StudyTable& table, const std::string& corner, std::string_view ending) {
  std::vector<std::string> header = {corner};
  for (const TableColumn& column : table.columns) {
    header.push_back(fmt::format("{}{}", column.title, ending));
  }
  TextTable text(header);
  for (std::size_t m = 0; m < table.methods.size(); ++m) {
    std::vector<TextCell> row = {table.methods[m]};
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      row.push_back(cell_of(table.columns[c], table.cells[m][c]));
    }
    text.add(std::move(row));
  }
  return text;
}

bool any_interval(const StudyTable& table) {
  return std::ranges::any_of(table.cells, [](const auto& row) {
    return std::ranges::any_of(
        row, [](const TableCell& cell) { return cell.measured.interval.has_value(); });
  });
}

// What notes call the marks.
struct MarkWords {
  std::string_view best, better, worse;
};

std::vector<std::string> notes_of(const StudyTable& table, const MarkWords& words) {
  std::vector<std::string> notes;
  const bool any = std::ranges::any_of(table.cells, [](const auto& row) {
    return std::ranges::any_of(row, [](const TableCell& cell) { return cell.best; });
  });
  if (any) notes.push_back(fmt::format("{}: best of the column", words.best));
  for (std::string note : {interval_note(table),
                           test_note(table, std::string(words.better), std::string(words.worse))}) {
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
  return document(
      tables, {"*", "+", "-"},
      [](const StudyTable& table) {
        // Titles end as wide as the marks of a cell.
        return table_of(table, table_heading(table), "  ").text();
      },
      [](const std::vector<std::string>& notes) {
        std::string text = notes.empty() ? "" : "\n";
        for (const std::string& note : notes) text += note + "\n";
        return text;
      });
}

constexpr MarkWords kSigns = {"bold", "▲", "▼"};

std::string write_md(std::span<const StudyTable> tables) {
  const TableFormat& md = find_table_format("md", "study table");
  return document(
      tables, kSigns,
      [&](const StudyTable& table) {
        return fmt::format("**{}**\n\n{}", md_escape(table_heading(table)),
                           md.table(table_of(table, "method", "")));
      },
      [](const std::vector<std::string>& notes) {
        std::string text = notes.empty() ? "" : "\n";
        for (const std::string& note : notes) {
          text += fmt::format("{}{}", &note == notes.data() ? "" : "; ", md_escape(note));
        }
        return notes.empty() ? text : text + ".\n";
      });
}

std::string write_latex(std::span<const StudyTable> tables) {
  const TableFormat& latex = find_table_format("latex", "study table");
  std::string text = "% needs \\usepackage[T1]{fontenc} and \\usepackage{booktabs}\n";
  for (const StudyTable& table : tables) {
    std::vector<std::string> notes = notes_of(table, kSigns);
    for (std::string& note : notes) note = latex_words(note);
    text += fmt::format("\\begin{{table}}\n\\centering\n\\caption{{{}{}{}.}}\n",
                        latex_escape(table_heading(table)), notes.empty() ? "" : "; ",
                        fmt::join(notes, "; "));
    text += latex.table(table_of(table, "Method", "")) + "\\end{table}\n";
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

// What differs from tables alone: captions, notes, and the lines of CSV.
struct StudyWriter {
  std::string_view format;
  std::string (*write)(std::span<const StudyTable> tables);
};
constexpr StudyWriter kWriters[] = {
    {"text", write_text}, {"md", write_md}, {"latex", write_latex}, {"csv", write_csv}};

}  // namespace

std::string study_tables_text(std::span<const StudyTable> tables, const TableFormat& format) {
  return std::ranges::find(kWriters, format.name, &StudyWriter::format)->write(tables);
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
  if (table.interval.empty()) return "";
  if (!any_interval(table)) return "no intervals: there is one seed, or no method is complete";
  return fmt::format("± is half the {:g} % interval over {}", table.confidence * 100,
                     table.interval == "student_t" ? "seeds (Student's t)"
                                                   : "test samples and seeds (two-way bootstrap)");
}

std::string test_note(const StudyTable& table, const std::string& better,
                      const std::string& worse) {
  if (!table.reference || !any_interval(table) || table.methods.size() < 2) return "";
  return fmt::format(
      "{} better, {} worse than {} at {:g} % (paired, Holm's correction over the methods of a "
      "column)",
      better, worse, table.methods[*table.reference], (1 - table.confidence) * 100);
}

}  // namespace openworld
