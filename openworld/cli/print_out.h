#pragma once

// Text for standard output. Every command prints through here, so that a control character in a
// class name, a label or a file name shows as an escape instead of steering the terminal, and so
// that --format and --quiet mean the same everywhere.

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace openworld {

// Words beside tables. In text as they are; other formats write whole lines in their own way, and
// CSV, which has no place for them, sends them to standard error as notes. Errors of the stream
// show in ferror(stdout).
void print_plain(std::string_view text);

// print_plain of what fmt::format gives.
template <class... T>
void print_out(fmt::format_string<T...> format, T&&... values) {
  print_plain(fmt::format(format, std::forward<T>(values)...));
}

// What is data already, JSON or CSV: in any format as it is, escaped but for the ends of its lines.
void print_data(std::string_view text);

// What is left of the last line. At the end, and before anything else writes to standard output.
void end_output();

// One line on standard error, which may be closed.
void print_error(std::string_view line);

// The same for whoever watches: not with --quiet.
void print_note(std::string_view line);

}  // namespace openworld
