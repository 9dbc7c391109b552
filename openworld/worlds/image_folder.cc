// A folder for each class, with its images in it; the folders sorted by name give the labels. Or
// one such folder of folders for each split. A folder called unknown has images of no class. Or
// images alone, all of no class.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "openworld/worlds/class_names.h"
#include "openworld/worlds/folders.h"
#include "openworld/worlds/format.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

// All folders are splits; one class of several that is called "train" makes none. That of unknown
// images does not count: beside splits it is refused.
bool has_split_folders(const std::string& path) {
  std::vector<std::string> folders = peek_folder(path).folders;
  std::erase(folders, kUnknownClass);
  return !folders.empty() && std::all_of(folders.begin(), folders.end(), is_split_name);
}

// Without that of unknown images.
std::vector<std::string> class_folders(const Origin& origin) {
  FolderListing listing = list_folder(origin);
  std::erase(listing.folders, kUnknownClass);
  if (listing.folders.empty()) {
    origin.fail(fmt::format("holds {}; expected a folder for each class, with images in {}",
                            listing.summary(), kImageEndings));
  }
  return std::move(listing.folders);
}

// Adds the images of a folder below dataset->root.
void collect_folder(const Origin& origin, const std::string& folder, std::int32_t label,
                    Dataset* dataset) {
  std::vector<std::string> paths;
  const std::size_t others = collect_images(origin.file, folder, origin, &paths);
  if (paths.empty()) {
    origin.fail(fmt::format("the class folder {} has no images but {} other files; expected {}",
                            in_quotes(folder), others, kImageEndings));
  }
  dataset->skipped += others;
  for (std::string& path : paths) {
    dataset->samples.push_back({.path = std::move(path), .label = label});
  }
}

// Lists the images of every class folder under `root`, and of unknown; `folders` are all classes,
// in the order of their labels. A class may lack its folder only if `may_lack`.
void collect(const Origin& origin, const std::vector<std::string>& folders, bool may_lack,
             Dataset* dataset) {
  dataset->root = origin.file;
  for (std::size_t label = 0; label < folders.size(); ++label) {
    const fs::path folder = fs::path(origin.file) / folders[label];
    if (may_lack && !is_folder(folder.string())) continue;
    collect_folder(origin, folders[label], static_cast<std::int32_t>(label), dataset);
  }
  const std::string unknown(kUnknownClass);
  if (is_folder((fs::path(origin.file) / unknown).string())) {
    collect_folder(origin, unknown, -1, dataset);
  }
}

void name_folders(const Origin& origin, const DatasetOptions& options,
                  const std::vector<std::string>& folders, Dataset* dataset) {
  const std::string file = find_names_file(options.names, origin.file);
  dataset->classes =
      file.empty() ? folders : ClassNames::load({origin.function, file}).for_folders(folders);
  if (!options.allow_duplicate_names) {
    refuse_duplicates(dataset->classes, file.empty() ? origin : Origin{origin.function, file});
  }
}

Dataset open_folder(const Origin& origin, const DatasetOptions& options) {
  if (!options.split.empty()) require_split(options.split, {}, origin);
  const std::vector<std::string> folders = class_folders(origin);
  Dataset dataset;
  name_folders(origin, options, folders, &dataset);
  collect(origin, folders, false, &dataset);
  return dataset;
}

// Images and no folder.
bool is_flat(const std::string& path) {
  const FolderListing listing = peek_folder(path);
  return listing.folders.empty() && !listing.images.empty();
}

Dataset open_flat(const Origin& origin, const DatasetOptions& options) {
  if (!options.split.empty()) require_split(options.split, {}, origin);
  FolderListing listing = list_folder(origin);
  if (listing.images.empty()) {
    origin.fail(fmt::format("holds {}; expected images in {}", listing.summary(), kImageEndings));
  }
  Dataset dataset;
  dataset.root = origin.file;
  dataset.skipped = listing.others.size();
  const std::string file = find_names_file(options.names, origin.file);
  if (!file.empty()) {
    const Origin names{origin.function, file};
    dataset.classes = ClassNames::load(names).by_label();
    if (!options.allow_duplicate_names) refuse_duplicates(dataset.classes, names);
  }
  dataset.named = !dataset.classes.empty();
  for (std::string& image : listing.images) dataset.samples.push_back({.path = std::move(image)});
  return dataset;
}

Dataset open_splits(const Origin& origin, const DatasetOptions& options) {
  Dataset dataset;
  dataset.splits = list_folder(origin).folders;
  if (std::ranges::find(dataset.splits, kUnknownClass) != dataset.splits.end()) {
    origin.fail(
        "has a folder unknown beside its splits; expected it in the split that it is tested with, "
        "as test/unknown");
  }
  require_split(options.split, dataset.splits, origin);
  // Over all splits, so that a label means the same in each.
  std::set<std::string> all;
  for (const std::string& split : dataset.splits) {
    const auto found = class_folders({origin.function, (fs::path(origin.file) / split).string()});
    all.insert(found.begin(), found.end());
  }
  const std::vector<std::string> folders(all.begin(), all.end());
  name_folders(origin, options, folders, &dataset);
  collect({origin.function, (fs::path(origin.file) / options.split).string()}, folders, true,
          &dataset);
  return dataset;
}

}  // namespace

const DatasetFormat kSplitFolders = {
    "splitfolders", "folders train, val, test, each with a folder of images for each class", false,
    has_split_folders, open_splits};

const DatasetFormat kFlatFolder = {
    "flatfolder", "a folder of images and no folders: images of no class, --names for classes",
    false, is_flat, open_flat};

const DatasetFormat kImageFolder = {
    "imagefolder", "a folder of images for each class, labels by sorted folder name", false,
    is_folder, open_folder};

}  // namespace openworld
