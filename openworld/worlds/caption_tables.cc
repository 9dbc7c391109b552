// Captions in tables: .csv, .tsv and .jsonl, by themselves or as the metadata of a folder.

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "openworld/base/text_map.h"
#include "openworld/base/trimmed.h"
#include "openworld/io/csv.h"
#include "openworld/io/json_file.h"
#include "openworld/io/mapped_file.h"
#include "openworld/worlds/file_captions.h"
#include "openworld/worlds/listing.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

// Collects pairs that name their images by path.
struct PathPairs {
  Dataset images;
  std::vector<std::vector<std::string>> captions;
  TextMap<std::size_t> seen;

  // A known path gets one more caption.
  void add(std::string_view path, std::string_view caption, std::string_view where,
           const Origin& origin) {
    check_caption(caption, where, origin);
    const auto [place, is_new] = seen.try_emplace(std::string(path), captions.size());
    if (is_new) {
      images.samples.push_back({.path = std::string(path)});
      captions.emplace_back();
    }
    captions[place->second].emplace_back(caption);
  }

  std::unique_ptr<CaptionSource> finish(std::string_view format, const std::string& image_root,
                                        const Origin& origin) {
    if (captions.empty()) origin.fail("has no rows; expected images with captions");
    images.root = find_image_root(image_root, images.samples[0].path, origin);
    return std::make_unique<FileCaptions>(std::string(format), origin.file, std::move(images),
                                          std::move(captions));
  }
};

// The names that tables give the two columns: OpenCLIP's, Hugging Face's, img2dataset's and plain.
constexpr std::array<std::string_view, 5> kPathColumns = {"path", "filepath", "file_name", "image",
                                                          "filename"};
constexpr std::array<std::string_view, 4> kCaptionColumns = {"caption", "title", "text",
                                                             "captions"};

template <std::size_t n>
std::optional<std::size_t> find_column(const CsvTable& table,
                                       const std::array<std::string_view, n>& names) {
  for (const std::string_view name : names) {
    if (const auto column = table.find(name)) return column;
  }
  return std::nullopt;
}

bool has_ending(const std::string& path, std::initializer_list<std::string_view> endings) {
  for (const std::string_view ending : endings) {
    if (path.ends_with(ending)) return true;
  }
  return false;
}

}  // namespace

std::unique_ptr<CaptionSource> open_caption_table(const Origin& origin,
                                                  const CaptionOptions& options) {
  if (!has_ending(origin.file, {".csv", ".tsv"})) return nullptr;
  const CsvTable table = read_csv(origin);
  const auto path = find_column(table, kPathColumns);
  const auto caption = find_column(table, kCaptionColumns);
  if (!caption) return nullptr;  // labelled, or an unknown table
  if (!path) {
    origin.fail(fmt::format("has a column of captions but none of images; expected one of {}",
                            fmt::join(kPathColumns, ", ")));
  }
  PathPairs pairs;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.cell(row, *path).empty()) table.fail_cell(row, *path, "the path of an image");
    pairs.add(table.cell(row, *path), trimmed(table.cell(row, *caption)),
              fmt::format("row {}", row + 1), origin);
  }
  return pairs.finish("table", options.dataset.image_root, origin);
}

std::unique_ptr<CaptionSource> open_caption_lines(const Origin& origin,
                                                  const CaptionOptions& options) {
  if (!has_ending(origin.file, {".jsonl"})) return nullptr;
  const Bytes bytes = map_file(origin);
  std::string_view text = as_text(bytes.values);
  PathPairs pairs;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::string_view row = take_line(&text);
    if (row.empty()) continue;
    const std::string where = fmt::format("line {}", line);
    const auto json = parse_json(row, {origin.function, fmt::format("{}: {}", origin.file, where)});
    const auto field = [&](const auto& names) -> std::string {
      for (const std::string_view name : names) {
        const auto found = json.find(std::string(name));
        if (found != json.end() && found->is_string()) return found->template get<std::string>();
      }
      origin.fail(fmt::format("{} is {}; expected an object with one of {}", where, in_quotes(row),
                              fmt::join(names, ", ")));
    };
    if (!json.is_object()) {
      origin.fail(fmt::format("{} is {}; expected a JSON object", where, in_quotes(row)));
    }
    pairs.add(field(kPathColumns), trimmed(field(kCaptionColumns)), where, origin);
  }
  return pairs.finish("json-lines", options.dataset.image_root, origin);
}

std::unique_ptr<CaptionSource> open_caption_metadata(const Origin& origin,
                                                     const CaptionOptions& options) {
  for (const char* name : {"metadata.csv", "metadata.jsonl"}) {
    const Origin file{origin.function, (fs::path(origin.file) / name).string()};
    std::error_code ignored;
    if (!fs::is_regular_file(file.file, ignored)) continue;
    auto pairs = open_caption_table(file, options);
    if (!pairs) pairs = open_caption_lines(file, options);
    if (pairs) return pairs;
  }
  return nullptr;
}

}  // namespace openworld
