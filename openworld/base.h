#pragma once

// What every other part throws, and the version.
//
// Link openworld::base. docs/cpp.md shows programs that use these headers.

#include "openworld/base/error.h"
#include "openworld/base/version.h"
