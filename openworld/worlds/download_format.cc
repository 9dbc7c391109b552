// Downloads as worlds: mnist, fashion-mnist and cifar10 by their names.

#include <fmt/format.h>

#include <filesystem>

#include "openworld/worlds/downloads.h"
#include "openworld/worlds/drawn_source.h"
#include "openworld/worlds/format.h"
#include "openworld/worlds/spec_text.h"

namespace openworld {
namespace {

bool recognise_download(const std::string& path) {
  return names_world(path, find_download(path) != nullptr);
}

Dataset open_download(const Origin& origin, const DatasetOptions& options) {
  const Download* const download = find_download(origin.file);
  if (download == nullptr) {
    origin.fail("is not a downloaded world; expected a name that `openworld data ls` lists");
  }
  const std::string folder = download_folder(*download);
  if (!is_installed(*download)) {
    origin.fail(fmt::format("{} is not installed in {}; `openworld data get {}` installs it",
                            download->title, folder, download->name));
  }
  DatasetOptions files = options;
  if (files.split.empty()) files.split = "test";
  files.names = "";
  Dataset dataset = download->format->open({origin.function, folder}, files);
  dataset.split = files.split;
  dataset.root = download->name;
  dataset.classes.assign(download->classes.begin(), download->classes.end());
  dataset.named = true;
  dataset.templates = download->prompt;
  rename_classes(dataset, origin, options);
  return dataset;
}

}  // namespace

const DatasetFormat kDownloads = {
    "downloads", "a downloaded world: mnist, fashion-mnist or cifar10; see `openworld data ls`",
    false, recognise_download, open_download};

}  // namespace openworld
