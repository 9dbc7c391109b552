#pragma once

// The one exception of the project: an invalid argument or file, reported in one line.
//
// what() has the form `[function] what is wrong, got value, expected what`, with file and row where
// there is one; it is one line without control characters. The command line prints it and exits
// with 2; Python raises it as ValueError. Bugs
// in openworld itself are not Errors: they assert.

#include <stdexcept>
#include <string>
#include <string_view>

namespace openworld {

class Error : public std::runtime_error {
 public:
  Error(std::string_view function, std::string_view message);

  // The parts of what(), for callers that rethrow the message under another function name.
  std::string_view function() const { return std::string_view(what()).substr(1, function_size_); }
  std::string_view message() const { return std::string_view(what()).substr(function_size_ + 3); }

 private:
  std::size_t function_size_;
};

// Throws Error(function, message).
[[noreturn]] void fail(std::string_view function, std::string_view message);

}  // namespace openworld
