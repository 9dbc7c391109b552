#pragma once

// The source of an Error of a reader or writer: the function the caller called and the file it
// passed. Every parser takes one, so that messages start with `[load_predictions] preds.npz: ...`
// no matter which parser found the error.

#include <string>
#include <string_view>

#include "openworld/base/quotes.h"

namespace openworld {

struct Origin {
  std::string function;
  std::string file;

  // Throws Error("[function] file: message"), without the file if it has no name (arrays).
  [[noreturn]] void fail(std::string_view message) const;
};

}  // namespace openworld
