#pragma once

// Where an Error of a reader or writer comes from: the function the caller called and the file it
// named. Parsers take one, so that the user reads `[load_predictions] preds.npz: ...` whichever
// parser below found the mistake.

#include <string>
#include <string_view>

namespace openworld {

struct Origin {
  std::string function;
  std::string file;

  // Throws Error("[function] file: message"), or without the file where it has no name: arrays.
  [[noreturn]] void fail(std::string_view message) const;
};

// Text from a file as it may stand in a message: in double quotes, one line, printable ASCII
// (other bytes as \xNN) and cut after 60 characters.
std::string in_quotes(std::string_view text);

}  // namespace openworld
