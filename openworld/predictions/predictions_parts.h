#pragma once

// The contents of a predictions file, before anything is derived from it. Every format is read into
// Parts, and one function turns them into Predictions.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/io/csv.h"
#include "openworld/io/npy_values.h"
#include "openworld/io/origin.h"
#include "openworld/io/zip.h"
#include "openworld/predictions/predictions.h"

namespace openworld {

// A word that stands for a number.
struct Word {
  std::string_view text;
  int value;
};
inline constexpr Word kSideWords[] = {{"0", 0},    {"1", 1},   {"-1", -1},
                                      {"base", 0}, {"new", 1}, {"unknown", -1}};
inline constexpr std::string_view kSideWordsExpected = "0 or base, 1 or new, -1 or unknown";
// Capitalised as Python prints them, too.
inline constexpr Word kFlagWords[] = {{"0", 0},    {"1", 1},     {"false", 0},
                                      {"true", 1}, {"False", 0}, {"True", 1}};
inline constexpr std::string_view kFlagWordsExpected = "0 or 1, false or true";

// The number that one of `words` stands for, or nothing.
std::optional<int> find_word(std::string_view text, std::span<const Word> words);

struct Parts {
  std::optional<Column<std::int8_t>> side;
  std::optional<FloatColumn> score, fit;
  std::optional<Column<std::uint8_t>> correct, overall_correct;
  std::optional<Column<std::int32_t>> label, predicted;
  std::optional<Matrix> base_logits, new_logits;
  std::optional<std::int32_t> base_classes, new_classes;
  std::optional<std::vector<std::string>> classes;
  std::optional<std::string> meta;
  bool has_features = false;  // what predictions could be made of
};

// The arrays of an archive, of a folder of .npy files, and the columns of a table. Throw Error.
Parts read_npz_parts(const ZipArchive& archive);
Parts read_folder_parts(const Origin& folder);
Parts read_csv_parts(const CsvTable& table);

// validate(), but the Error names `origin`.
void validate_from(const Outcomes& outcomes, const Origin& origin);

// Checks that the parts fit together and derives what is missing. Throws Error.
Predictions make_predictions(Parts parts, const Origin& origin);

}  // namespace openworld
