// CoOp's split_zhou_<Name>.json: {"train": [[path, label, name], ...], "val": ..., "test": ...}.

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "openworld/io/json_file.h"
#include "openworld/io/mapped_file.h"
#include "openworld/worlds/folders.h"
#include "openworld/worlds/format.h"
#include "openworld/worlds/listing.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::vector<std::string> split_files(const std::string& folder) {
  std::vector<std::string> names = peek_folder(folder).others;
  std::erase_if(names, [](const std::string& name) {
    return !name.starts_with("split_zhou_") || !name.ends_with(".json");
  });
  return names;
}

bool recognise_coop_split(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored)
             ? !split_files(path).empty()
             : path.ends_with(".json") && fs::is_regular_file(path, ignored);
}

// The file itself, or the one in the folder.
std::string find_file(const Origin& origin) {
  std::error_code ignored;
  if (!fs::is_directory(origin.file, ignored)) return origin.file;
  const std::vector<std::string> names = split_files(origin.file);
  if (names.size() != 1) {
    origin.fail(fmt::format("holds {} split_zhou_*.json files; expected one, or the path of one",
                            names.size()));
  }
  return (fs::path(origin.file) / names[0]).string();
}

// Three values for each image: enough for the largest public datasets.
constexpr JsonLimits kCoopLimits{
    .bytes = std::size_t{1} << 32, .depth = 4, .values = std::size_t{1} << 26};

bool is_triple(const Json& item) {
  return item.is_array() && item.size() == 3 && item[0].is_string() &&
         item[1].is_number_integer() && item[2].is_string();
}

Dataset open_coop_split(const Origin& given, const DatasetOptions& options) {
  const Origin origin{given.function, find_file(given)};
  const Bytes bytes = map_file(origin);
  const Json root = parse_json(bytes.values, origin, kCoopLimits);
  // Names are in the list; a classnames.txt beside it is another dataset's.
  Listing listing(origin, "");
  if (!root.is_object()) origin.fail("is not a JSON object; expected the keys train, val and test");
  for (const char* split : {"train", "val", "test"}) {
    const auto items = root.find(split);
    if (items == root.end() || !items->is_array()) {
      origin.fail(fmt::format("has no list {}; expected train, val and test", split));
    }
    for (std::size_t i = 0; i < items->size(); ++i) {
      const Json& item = (*items)[i];
      if (!is_triple(item)) {
        origin.fail(fmt::format("{}[{}] is {}; expected [path, label, class name]", split, i,
                                in_quotes(item.dump())));
      }
      listing.add({.path = item[0].get<std::string>()}, item[1].get<std::int64_t>(),
                  item[2].get_ref<const std::string&>(), split,
                  [&] { return fmt::format("{}[{}]", split, i); });
    }
  }
  Dataset dataset;
  if (!listing.empty()) {
    dataset.root = find_image_root(options.image_root, listing.first_path(), origin);
  }
  return std::move(listing).finish(options, std::move(dataset));
}

}  // namespace

const DatasetFormat kCoopSplit = {
    "coop", "CoOp's split_zhou_*.json of [path, label, name] for train, val, test, or its folder",
    true, recognise_coop_split, open_coop_split};

}  // namespace openworld
