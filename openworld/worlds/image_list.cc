// OpenOOD's image lists: "relative/path label" on each line, label -1 for images of no class.

#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "openworld/io/mapped_file.h"
#include "openworld/worlds/folders.h"
#include "openworld/worlds/format.h"
#include "openworld/worlds/listing.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

bool recognise_image_list(const std::string& path) {
  std::error_code ignored;
  return path.ends_with(".txt") && fs::is_regular_file(path, ignored);
}

Dataset open_image_list(const Origin& origin, const DatasetOptions& options) {
  const Bytes bytes = map_file(origin);
  std::string_view text = as_text(bytes.values);
  Listing listing(origin, folder_of(origin.file));
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = text.find('\n');
    std::string_view row = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    while (row.ends_with('\r') || row.ends_with(' ')) row.remove_suffix(1);
    if (row.empty()) continue;
    // The last space: paths may have some.
    const std::size_t space = row.find_last_of(" \t");
    if (space == std::string_view::npos || space == 0) {
      origin.fail(fmt::format("line {} is {}; expected a path and a label", line, in_quotes(row)));
    }
    std::int64_t label = 0;
    const char* digits = row.data() + space + 1;
    const char* row_end = row.data() + row.size();
    const auto [parsed, error] = std::from_chars(digits, row_end, label);
    if (error != std::errc() || parsed != row_end) {
      origin.fail(fmt::format("line {} has label {}; expected an integer", line,
                              in_quotes(row.substr(space + 1))));
    }
    listing.add({.path = std::string(row.substr(0, space))}, label, "", "",
                [&] { return fmt::format("line {}", line); });
  }
  Dataset dataset;
  if (!listing.empty()) {
    dataset.root = find_image_root(options.image_root, listing.first_path(), origin);
  }
  return std::move(listing).finish(options, std::move(dataset));
}

}  // namespace

const DatasetFormat kImageList = {
    "imglist", "a .txt of lines \"path label\" as OpenOOD has them; -1 is unknown", true,
    recognise_image_list, open_image_list};

}  // namespace openworld
