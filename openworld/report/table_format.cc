#include "openworld/report/table_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/nearest_name.h"
#include "openworld/base/quotes.h"
#include "openworld/io/csv_cell.h"

namespace openworld {
namespace {

constexpr std::string_view kReach = "±";

std::string joined(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + " " + b;
}

std::string text_table(const TextTable& table) {
  return table.text();
}

std::string as_is(std::string_view line) {
  return std::string(line) + "\n";
}

std::string md_cell(const TextCell& cell) {
  std::string text = joined(md_escape(cell.text), cell.reach);
  if (cell.starred.value_or(false)) text = "**" + text + "**";
  if (cell.mark.value_or(0) != 0) text += *cell.mark > 0 ? " ▲" : " ▼";
  return joined(text, cell.count);
}

std::string md_table(const TextTable& table) {
  const auto line = [](const std::vector<std::string>& cells) {
    return fmt::format("| {} |\n", fmt::join(cells, " | "));
  };
  std::vector<std::string> header, rule;
  for (std::size_t c = 0; c < table.header().size(); ++c) {
    header.push_back(md_escape(table.header()[c]));
    rule.emplace_back(table.is_left(c) ? "---" : "---:");
  }
  std::string text = fmt::format("{}|{}|\n", line(header), fmt::join(rule, "|"));
  for (const auto& row : table.rows()) {
    std::vector<std::string> cells;
    for (const TextCell& cell : row) cells.push_back(md_cell(cell));
    text += line(cells);
  }
  return text;
}

// Each line a paragraph.
std::string md_line(std::string_view line) {
  return line.empty() ? "\n" : md_escape(line) + "\n\n";
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos;
}

std::string latex_cell(const TextCell& cell) {
  const std::string& value = cell.text;
  std::string text;
  // A minus of mathematics, not a hyphen.
  if (value.size() > 1 && (value[0] == '-' || value[0] == '+') && is_number(value.substr(1))) {
    text = fmt::format("${}${}", value[0], value.substr(1));
  } else {
    text = latex_words(value);
  }
  if (cell.starred.value_or(false)) text = "\\textbf{" + text + "}";
  if (cell.reach.starts_with(kReach)) {
    text += " {\\scriptsize$\\pm$" + cell.reach.substr(kReach.size()) + "}";
  }
  if (cell.mark.value_or(0) != 0) text += *cell.mark > 0 ? "$^{\\uparrow}$" : "$^{\\downarrow}$";
  return joined(text, cell.count);
}

std::string latex_table(const TextTable& table) {
  std::string columns;
  std::vector<std::string> header;
  for (std::size_t c = 0; c < table.header().size(); ++c) {
    columns += table.is_left(c) ? 'l' : 'r';
    header.push_back(latex_words(table.header()[c]));
  }
  std::string text = fmt::format("\\begin{{tabular}}{{{}}}\n\\toprule\n{} \\\\\n\\midrule\n",
                                 columns, fmt::join(header, " & "));
  for (const auto& row : table.rows()) {
    std::vector<std::string> cells;
    for (const TextCell& cell : row) cells.push_back(latex_cell(cell));
    text += fmt::format("{} \\\\\n", fmt::join(cells, " & "));
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

std::string latex_comment(std::string_view line) {
  return line.empty() ? "\n" : "% " + printable_line(line) + "\n";
}

std::string csv_table(const TextTable& table) {
  // Columns with something behind ± have it in one of their own.
  std::vector<bool> reaches(table.header().size());
  for (const auto& row : table.rows()) {
    for (std::size_t c = 0; c < row.size(); ++c) reaches[c] = reaches[c] || !row[c].reach.empty();
  }
  std::string text;
  const auto add = [&](std::vector<std::string> words) {
    for (std::string& word : words) word = csv_cell(printable_line(word));
    fmt::format_to(std::back_inserter(text), "{}\r\n", fmt::join(words, ","));
  };
  std::vector<std::string> header;
  for (std::size_t c = 0; c < table.header().size(); ++c) {
    header.push_back(table.header()[c]);
    if (reaches[c]) header.push_back(fmt::format("{} {}", table.header()[c], kReach));
  }
  add(std::move(header));
  for (const auto& row : table.rows()) {
    std::vector<std::string> words;
    for (std::size_t c = 0; c < row.size(); ++c) {
      words.push_back(row[c].text);
      if (!reaches[c]) continue;
      const std::string& reach = row[c].reach;
      words.push_back(reach.starts_with(kReach) ? reach.substr(kReach.size()) : reach);
    }
    add(std::move(words));
  }
  return text;
}

std::string nothing(std::string_view) {
  return "";
}

constexpr TableFormat kFormats[] = {{"text", text_table, as_is},
                                    {"md", md_table, md_line},
                                    {"latex", latex_table, latex_comment},
                                    {"csv", csv_table, nothing}};

}  // namespace

std::span<const TableFormat> table_formats() {
  return kFormats;
}

const TableFormat& find_table_format(std::string_view name, std::string_view function) {
  std::vector<std::string> names;
  for (const TableFormat& format : kFormats) {
    if (format.name == name) return format;
    names.emplace_back(format.name);
  }
  fail(function, fmt::format("no table format {}; {}", in_quotes(name), known_names(name, names)));
}

std::string md_escape(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>|#~").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c == '\n' || c == '\r' ? ' ' : c;
  }
  return escaped;
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

std::string latex_words(std::string_view words) {
  std::string text = latex_escape(words);
  const auto replace = [&](std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
      text.replace(at, from.size(), to);
    }
  };
  replace(kReach, "$\\pm$");
  replace("▲", "$\\uparrow$");
  replace("▼", "$\\downarrow$");
  return text;
}

}  // namespace openworld
