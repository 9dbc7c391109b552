#pragma once

// cell.json: the result of a cell, written last; and failed.json, what is known of one that failed.
//
// A result names the size and the SHA-256 of the files that it is of, predictions first, so that it
// cannot stand beside files of another run. It ends with its own SHA-256, of all but the cost; a
// file that was cut or changed anywhere is not a result.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/io/origin.h"

namespace openworld {

// A number of a cell's result. World and level are those of the scenario's view; both are empty for
// a run without a scenario.
struct CellValue {
  std::string world;
  std::string level;
  std::string metric;
  std::optional<double> value;  // none: undefined

  bool operator==(const CellValue&) const = default;
};

struct CellFile {
  std::string name;
  std::int64_t bytes = 0;
  std::string sha256;

  bool operator==(const CellFile&) const = default;
};

struct CellResult {
  std::string id;
  std::vector<CellFile> files;
  std::vector<CellValue> values;
  double seconds = 0;  // what it cost; the only field that may differ between two computations

  bool operator==(const CellResult&) const = default;
};

// The contents of cell.json.
std::string cell_result_text(const CellResult& result);

// None unless the text is, to the last byte, what cell_result_text wrote.
std::optional<CellResult> parse_cell_result(std::string_view text);

// The hash and size of a file of a cell's folder. Throws Error as [function].
CellFile describe_file(const std::string& folder, const std::string& name,
                       std::string_view function);

struct CellFailure {
  std::string id;
  std::int64_t attempts = 0;
  std::string error;  // of the last attempt, one line

  bool operator==(const CellFailure&) const = default;
};

std::string cell_failure_text(const CellFailure& failure);
// A damaged file still says that an attempt failed: one attempt and no message.
CellFailure parse_cell_failure(std::string_view text);

}  // namespace openworld
