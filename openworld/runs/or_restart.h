#pragma once

#include <fmt/format.h>

#include "openworld/base/error.h"

namespace openworld {

// What `read` returns. An Error that it throws about a file of a run folder says what helps.
template <class Read>
auto or_restart(const Read& read) {
  try {
    return read();
  } catch (const Error& e) {
    fail(e.function(), fmt::format("{}; restart the run to replace it", e.message()));
  }
}

}  // namespace openworld
