#include "openworld/cli/print_out.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "openworld/base/progress.h"
#include "openworld/base/quotes.h"
#include "openworld/cli/print_table.h"

namespace openworld {
namespace {

struct State {
  OutputSettings settings;
  std::string line;          // words that are not a whole line yet
  bool after_table = false;  // a table was written last: an empty line ends it
};

State& state() {
  static State state;
  return state;
}

bool is_text() {
  return state().settings.format->name == "text";
}

void write(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void end_table() {
  if (state().after_table) write("\n");
  state().after_table = false;
}

void write_line(const std::string& line) {
  const std::string written = state().settings.format->line(line);
  if (written.empty() && !line.empty()) return print_note(line);
  end_table();
  write(printable(written));
}

}  // namespace

void set_output(const OutputSettings& settings) {
  state().settings = settings;
  show_progress(!settings.quiet);
}

const OutputSettings& output_settings() {
  return state().settings;
}

void print_plain(std::string_view text) {
  if (is_text()) return write(printable(text));
  std::string& line = state().line;
  for (const char c : text) {
    if (c != '\n') {
      line += c;
      continue;
    }
    if (!line.empty()) write_line(line);
    line.clear();
  }
}

void end_output() {
  if (!state().line.empty()) print_plain("\n");
}

void print_table(const TextTable& table) {
  end_output();
  if (is_text()) return print_plain(table.text());
  end_table();
  print_data(state().settings.format->table(table));
  state().after_table = true;
}

void print_document(const TextDocument& document) {
  for (const TextDocument::Block& block : document.blocks()) {
    if (const auto* words = std::get_if<std::string>(&block)) {
      print_plain(*words);
    } else {
      print_table(std::get<TextTable>(block));
    }
  }
}

void print_data(std::string_view text) {
  end_output();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\r\n"), text.size());
    write(printable(text.substr(0, end)));
    write(text.substr(end, 2));
    text.remove_prefix(std::min(end + 2, text.size()));
  }
}

void print_error(std::string_view line) {
  std::fputs((printable_line(line) + '\n').c_str(), stderr);
}

void print_note(std::string_view line) {
  if (!state().settings.quiet) print_error(line);
}

}  // namespace openworld
