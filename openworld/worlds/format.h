#pragma once

// The formats of datasets, one row each.

#include <span>
#include <string>

#include "openworld/io/origin.h"
#include "openworld/worlds/dataset.h"

namespace openworld {

struct DatasetFormat {
  const char* name;        // "imagefolder"
  const char* looks_like;  // one line for --help and docs
  bool lists_paths;        // whether it names images that lie elsewhere
  // Whether `path` looks like it. Never throws.
  bool (*recognise)(const std::string& path);
  // REQUIRES: origin.file is the path. Fills everything of the Dataset but `format`, and
  // `split` only where it chose one that was not asked for.
  Dataset (*open)(const Origin& origin, const DatasetOptions& options);
};

extern const DatasetFormat kDoodles;        // doodle_format.cc
extern const DatasetFormat kIcons;          // icon_format.cc
extern const DatasetFormat kDownloads;      // download_format.cc
extern const DatasetFormat kIdx;            // idx_format.cc
extern const DatasetFormat kSheets;         // sheet_format.cc
extern const DatasetFormat kWebdataset;     // webdataset.cc
extern const DatasetFormat kFeatureArrays;  // feature_arrays.cc
extern const DatasetFormat kCoopSplit;      // coop_split.cc
extern const DatasetFormat kCsvDataset;     // csv_dataset.cc
extern const DatasetFormat kImageList;      // image_list.cc
extern const DatasetFormat kSplitFolders;   // image_folder.cc
extern const DatasetFormat kFlatFolder;
extern const DatasetFormat kImageFolder;

// In the order in which they are tried.
std::span<const DatasetFormat* const> dataset_formats();

}  // namespace openworld
