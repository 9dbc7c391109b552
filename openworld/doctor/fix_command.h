#pragma once

// Commands that fix findings, to be pasted into a shell whatever the paths in them are.

#include <string>
#include <string_view>

namespace openworld {

// One word of a POSIX shell that stands for the text: the text itself where nothing in it is
// special, else in double quotes, else in single ones.
std::string shell_word(std::string_view text);

// A literal of Python, in single quotes.
std::string python_text(std::string_view text);

// What shows the images of a run from where they are now.
std::string report_command(std::string_view run);

}  // namespace openworld
