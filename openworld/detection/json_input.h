#pragma once

// Where JSON comes from: the file `origin.file`, or bytes in memory that messages call so.

#include <optional>

#include "openworld/io/column.h"
#include "openworld/io/origin.h"

namespace openworld {

struct JsonInput {
  Origin origin;
  std::optional<Bytes> bytes{};
};

}  // namespace openworld
