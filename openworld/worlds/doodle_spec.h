#pragma once

// A dataset of Doodles by its name: doodles:NAME@LOOK#SEED, as in doodles:animals@chalk#2.

#include <cstdint>
#include <string>
#include <string_view>

#include "openworld/io/origin.h"
#include "openworld/worlds/doodle_datasets.h"
#include "openworld/worlds/doodle_looks.h"

namespace openworld {

struct DoodleSpec {
  const DoodleDataset* dataset;
  const LookRow* look;
  std::uint64_t seed = 1;

  // Without the parts that are the default: "doodles:animals", "doodles:all@chalk#2".
  std::string text() const;
};

// Whether the text starts as one: "doodles" with nothing or :, @ or # after it.
bool is_doodle_spec(std::string_view text);

// Parses origin.file. All parts may be left out: doodles is doodles:all@plain#1. Throws Error that
// lists the known names.
DoodleSpec parse_doodle_spec(const Origin& origin);

}  // namespace openworld
