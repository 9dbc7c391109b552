// Tables of images: a CSV or TSV with the columns path and label, and, where wanted, name and
// split.

#include <fmt/format.h>

#include <filesystem>

#include "openworld/io/csv.h"
#include "openworld/worlds/folders.h"
#include "openworld/worlds/format.h"
#include "openworld/worlds/listing.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

bool recognise_csv(const std::string& path) {
  std::error_code ignored;
  return (path.ends_with(".csv") || path.ends_with(".tsv")) && fs::is_regular_file(path, ignored);
}

Dataset open_csv(const Origin& origin, const DatasetOptions& options) {
  const CsvTable table = read_csv(origin);
  const std::size_t path = table.column("path");
  const auto name = table.find("name"), split = table.find("split");
  const auto label = name ? table.find("label") : table.column("label");
  const auto text = [&](std::size_t row, std::optional<std::size_t> column) {
    return column ? table.cell(row, *column) : std::string_view();
  };
  Listing listing(origin, folder_of(origin.file));
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.cell(row, path).empty()) table.fail_cell(row, path, "the path of an image");
    if (split && table.cell(row, *split).empty()) table.fail_cell(row, *split, "a split");
    Sample sample{.path = std::string(table.cell(row, path))};
    const std::string_view class_name = text(row, name), part = text(row, split);
    if (label) {
      listing.add(std::move(sample), table.integer(row, *label), class_name, part,
                  [&] { return fmt::format("row {}", row + 1); });
    } else {
      if (class_name.empty()) table.fail_cell(row, *name, "the name of a class");
      listing.add_named(std::move(sample), class_name, part);
    }
  }
  Dataset dataset;
  if (!listing.empty()) {
    dataset.root = find_image_root(options.image_root, listing.first_path(), origin);
  }
  return std::move(listing).finish(options, std::move(dataset));
}

}  // namespace

const DatasetFormat kCsvDataset = {
    "csv", "a .csv or .tsv with columns path and label or name, and optionally split", true,
    recognise_csv, open_csv};

}  // namespace openworld
