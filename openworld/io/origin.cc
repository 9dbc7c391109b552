#include "openworld/io/origin.h"

#include <fmt/format.h>

#include "openworld/base/error.h"

namespace openworld {

void Origin::fail(std::string_view message) const {
  openworld::fail(function,
                  file.empty() ? std::string(message) : fmt::format("{}: {}", file, message));
}

}  // namespace openworld
