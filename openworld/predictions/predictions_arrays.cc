// Predictions in NumPy arrays: an .npz or a folder of .npy files.

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <functional>

#include "openworld/io/json_file.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/memory_limit.h"
#include "openworld/io/npz.h"
#include "openworld/predictions/predictions_parts.h"
#include "openworld/predictions/result_json.h"

namespace openworld {
namespace {

// An array and the file it came from, for messages.
struct Found {
  NpyArray array;
  Origin origin;
};
using Find = std::function<std::optional<Found>(const char* name)>;

template <class T>
std::optional<Column<T>> read_integers(const Find& find, const char* name,
                                       std::string_view expected) {
  const auto found = find(name);
  if (!found) return std::nullopt;
  require_dimensions(found->array, 1, found->origin);
  return to_integers<T>(found->array, expected, found->origin);
}

// Integers, or texts that are words for them.
template <class T>
std::optional<Column<T>> read_words(const Find& find, const char* name, std::string_view expected,
                                    std::span<const Word> words, std::string_view expected_words) {
  const auto found = find(name);
  if (!found) return std::nullopt;
  require_dimensions(found->array, 1, found->origin);
  if (!found->array.header.dtype.is_text()) {
    return to_integers<T>(found->array, expected, found->origin);
  }
  const std::vector<std::string> texts = to_strings(found->array, found->origin);
  std::vector<T> values(texts.size());
  for (std::size_t row = 0; row < values.size(); ++row) {
    const std::optional<int> value = find_word(texts[row], words);
    if (!value) {
      found->origin.fail(fmt::format("{}[{}] is {}; expected {}", name, row, in_quotes(texts[row]),
                                     expected_words));
    }
    values[row] = static_cast<T>(*value);
  }
  return make_column(std::move(values));
}

std::optional<std::int32_t> read_count(const Find& find, const char* name) {
  const auto found = find(name);
  if (!found) return std::nullopt;
  require_dimensions(found->array, 0, found->origin);
  constexpr const char* kExpected = "a number of names, 0 or more";
  const std::int32_t count =
      to_integers<std::int32_t>(found->array, kExpected, found->origin).values[0];
  if (count < 0) found->origin.fail(fmt::format("{} is {}; expected {}", name, count, kExpected));
  // What is counted by class takes as much as their names would.
  request_memory(static_cast<std::uint64_t>(count) * kStringBytes, found->array.file_bytes,
                 fmt::format("{}, which is {},", name, count), found->origin);
  return count;
}

std::optional<Matrix> read_matrix(const Find& find, const char* name) {
  const auto found = find(name);
  if (!found) return std::nullopt;
  return to_matrix(found->array, found->origin);
}

std::optional<FloatColumn> read_floats(const Find& find, const char* name) {
  const auto found = find(name);
  if (!found) return std::nullopt;
  require_dimensions(found->array, 1, found->origin);
  return to_floats(found->array, found->origin);
}

std::optional<std::vector<std::string>> read_classes(const Find& find) {
  const auto found = find("classes");
  if (!found) return std::nullopt;
  require_dimensions(found->array, 1, found->origin);
  constexpr std::size_t kMaxClasses = std::size_t{1} << 24;
  if (found->array.header.count > kMaxClasses) {
    found->origin.fail(fmt::format("classes has {} names; expected at most {}",
                                   found->array.header.count, kMaxClasses));
  }
  return to_strings(found->array, found->origin);
}

std::optional<std::string> read_meta(const Find& find) {
  const auto found = find("meta");
  if (!found) return std::nullopt;
  require_dimensions(found->array, 0, found->origin);
  std::string meta = std::move(to_strings(found->array, found->origin)[0]);
  JsonLimits limits = kMetaLimits;
  limits.file_bytes = found->array.file_bytes;
  check_json(meta, {found->origin.function, fmt::format("{}: meta", found->origin.file)}, limits);
  return meta;
}

Parts read_parts(const Find& find) {
  constexpr const char* kSide = "0 (base), 1 (new) or -1 (unknown)";
  constexpr const char* kIndex = "an index of a name";
  Parts parts;
  const auto flags = [&](const char* name) {
    return read_words<std::uint8_t>(find, name, "0 or 1", kFlagWords, kFlagWordsExpected);
  };
  parts.side = read_words<std::int8_t>(find, "side", kSide, kSideWords, kSideWordsExpected);
  parts.score = read_floats(find, "score");
  parts.fit = read_floats(find, "fit");
  parts.correct = flags("correct");
  parts.overall_correct = flags("overall_correct");
  parts.label = read_integers<std::int32_t>(find, "label", kIndex);
  parts.predicted = read_integers<std::int32_t>(find, "predicted", kIndex);
  parts.base_logits = read_matrix(find, "base_logits");
  parts.new_logits = read_matrix(find, "new_logits");
  parts.base_classes = read_count(find, "base_classes");
  parts.new_classes = read_count(find, "new_classes");
  parts.classes = read_classes(find);
  parts.meta = read_meta(find);
  return parts;
}

}  // namespace

Parts read_npz_parts(const ZipArchive& archive) {
  Parts parts = read_parts([&](const char* name) -> std::optional<Found> {
    auto array = read_npz_array(archive, name);
    if (!array) return std::nullopt;
    return Found{std::move(*array), archive.origin()};
  });
  parts.has_features = archive.find("features.npy") != nullptr;
  return parts;
}

Parts read_folder_parts(const Origin& folder) {
  return read_parts([&](const char* name) -> std::optional<Found> {
    const Origin file{folder.function, fmt::format("{}/{}.npy", folder.file, name)};
    struct stat status;
    if (::lstat(file.file.c_str(), &status) != 0 && errno == ENOENT) return std::nullopt;
    return Found{parse_npy(map_file(file), name, file), file};
  });
}

}  // namespace openworld
