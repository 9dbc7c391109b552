#include "openworld/cli/print_out.h"

#include <cstdio>
#include <string>

#include "openworld/base/quotes.h"

namespace openworld {

void print_plain(std::string_view text) {
  const std::string shown = printable(text);
  std::fwrite(shown.data(), 1, shown.size(), stdout);
}

void print_error(std::string_view line) {
  std::fputs((printable_line(line) + '\n').c_str(), stderr);
}

}  // namespace openworld
