#pragma once

// The table of methods. A method is one pair of files and one row here; `openworld osr ls` and the
// docs print the row.

#include <span>
#include <string_view>

#include "openworld/osr/method.h"

namespace openworld {

std::span<const OsrMethodRow> osr_methods();

// The row of that name, regardless of case, '-' and '_'. Throws Error, as [osr], that lists the
// names there are.
const OsrMethodRow& find_osr_method(std::string_view name);

}  // namespace openworld
