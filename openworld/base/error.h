#pragma once

// The one exception of the project: a mistake of the caller or of a file, said in one line.
//
// The text has the form `[function] what is wrong, got value, expected what`, with file and row
// where there is one. The command line prints it and exits with 2; Python raises it as ValueError.
// Bugs of ours are not Errors: they assert.

#include <stdexcept>
#include <string>
#include <string_view>

namespace openworld {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws Error("[function] message").
[[noreturn]] void fail(std::string_view function, std::string_view message);

}  // namespace openworld
