#pragma once

// Where an Error of a reader or writer comes from: the function the caller called and the file it
// named. Parsers take one, so that the user reads `[load_predictions] preds.npz: ...` whichever
// parser below found the mistake.

#include <string>
#include <string_view>

#include "openworld/base/quotes.h"

namespace openworld {

struct Origin {
  std::string function;
  std::string file;

  // Throws Error("[function] file: message"), or without the file where it has no name: arrays.
  [[noreturn]] void fail(std::string_view message) const;
};

}  // namespace openworld
