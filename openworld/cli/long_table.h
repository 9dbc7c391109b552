#pragma once

// Results in long form, as experiments write them: one row per method, setting and seed. Read from
// CSV, averaged over seeds, and laid out as methods by settings.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "openworld/io/csv.h"

namespace openworld {

struct LongTable {
  std::vector<std::string> methods;   // in order of appearance
  std::vector<std::string> settings;  // in order of appearance; the block columns joined by " / "
  std::vector<double> values;         // settings x methods, means over seeds

  double at(std::size_t task, std::size_t method) const {
    return values[task * methods.size() + method];
  }
};

// `setting_columns` name the columns that make up a setting. Rows of the same method and setting
// are averaged; they must then differ in `seed_column`. Throws Error naming the file when a
// combination is missing or repeated, or when there is only one method, or more than 500.
LongTable read_long_table(const CsvTable& csv, const std::string& method_column,
                          const std::vector<std::string>& setting_columns,
                          const std::string& value_column, const std::string& seed_column);

}  // namespace openworld
