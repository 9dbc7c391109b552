#pragma once

// Text for standard output. Every command prints through here, so that a control character in a
// class name, a label or a file name shows as an escape instead of steering the terminal.

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace openworld {

// Errors of the stream show in ferror(stdout).
void print_plain(std::string_view text);

// print_plain of what fmt::format gives.
template <class... T>
void print_out(fmt::format_string<T...> format, T&&... values) {
  print_plain(fmt::format(format, std::forward<T>(values)...));
}

// One line on standard error, which may be closed.
void print_error(std::string_view line);

}  // namespace openworld
