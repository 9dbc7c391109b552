#pragma once

// Errors about the machine at this moment rather than about a file: too many open files, no memory,
// a device that fails. Code that skips what it cannot read must let them pass, or its results would
// depend on them.

#include <string_view>

#include "openworld/base/error.h"
#include "openworld/io/origin.h"

namespace openworld {

class MachineError : public Error {
 public:
  using Error::Error;
};

// Throws origin's Error "what: the text of the errno", as MachineError if that is about the
// machine.
[[noreturn]] void fail_with_errno(const Origin& origin, std::string_view what, int error);

}  // namespace openworld
