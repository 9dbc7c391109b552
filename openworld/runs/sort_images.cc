// Images in folders of the answers.

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "openworld/base/entropy.h"
#include "openworld/base/error.h"
#include "openworld/metrics/metric.h"
#include "openworld/runs/answer.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

// A name has room for this much and a number behind it in every file system.
constexpr std::size_t kLongestName = 200;

// A name of a folder, made from any text: no separator, no control character, not hidden.
std::string folder_name(std::string_view text) {
  std::string name;
  for (const char c : text.substr(0, kLongestName)) {
    const auto byte = static_cast<unsigned char>(c);
    name += byte < 0x20 || byte == 0x7f || c == '/' || c == '\\' ? '_' : c;
  }
  if (name.empty()) name = "_";
  if (name[0] == '.') name[0] = '_';
  return name;
}

// Names in one folder, each used once: NAME, then NAME-2, with the ending kept.
class Names {
 public:
  std::string take(const fs::path& wanted) {
    fs::path name = wanted;
    for (int number = 2; !taken_.insert(name.string()).second; ++number) {
      name = fmt::format("{}-{}{}", wanted.stem().string(), number, wanted.extension().string());
    }
    return name.string();
  }

 private:
  std::set<std::string> taken_;
};

// A folder that is removed again unless it is kept.
class NewFolder {
 public:
  NewFolder(const std::string& beside, std::string_view function) {
    path_ = fmt::format("{}.tmp.{}", beside, random_name());
    std::error_code error;
    if (!fs::create_directories(path_, error)) {
      fail(function, fmt::format("{}: cannot be created: {}", path_.string(), error.message()));
    }
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  ~NewFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }

  const fs::path& path() const { return path_; }

  // Gives it its name. The folder there may be empty.
  void keep(const fs::path& name, std::string_view function) {
    std::error_code error;
    fs::rename(path_, name, error);
    if (error)
      fail(function, fmt::format("{}: cannot be made: {}", name.string(), error.message()));
    path_.clear();
  }

 private:
  fs::path path_;
};

void place(const std::string& image, const fs::path& to, SortedAs as, std::string_view function) {
  std::error_code error;
  if (!fs::is_regular_file(image, error)) {
    fail(function, fmt::format("{}: not a file; expected images from files, to sort them", image));
  }
  if (as == SortedAs::kCopies) {
    fs::copy_file(image, to, fs::copy_options::none, error);
  } else {
    fs::create_symlink(fs::absolute(image), to, error);
  }
  if (error) fail(function, fmt::format("{}: cannot be placed: {}", image, error.message()));
}

std::string without_slash(std::string folder) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  return folder;
}

}  // namespace

void expect_empty_folder(const std::string& folder, std::string_view function) {
  std::error_code ignored;
  const fs::file_status status = fs::symlink_status(folder, ignored);
  if (!fs::exists(status)) return;
  if (fs::is_directory(status) && fs::is_empty(folder, ignored)) return;
  fail(function, fmt::format("{}: is there already; expected a new or an empty folder, so that "
                             "nothing is overwritten",
                             folder));
}

void sort_images(std::span<const Answer> answers, const std::string& folder, SortedAs as,
                 std::string_view function) {
  const std::string target = without_slash(folder);
  expect_empty_folder(target, function);
  NewFolder made(target, function);
  std::map<fs::path, Names> files, classes;                  // by folder
  std::map<std::pair<Side, std::string>, fs::path> folders;  // of classes
  for (const Answer& answer : answers) {
    const fs::path side = made.path() / side_name(answer.side);
    auto [at, is_new] = folders.try_emplace({answer.side, answer.class_name()}, side);
    if (is_new) {
      const std::string& name = answer.class_name();
      if (!name.empty()) at->second = side / classes[side].take(folder_name(name));
      std::error_code error;
      fs::create_directories(at->second, error);
      if (error) {
        fail(function,
             fmt::format("{}: cannot be created: {}", at->second.string(), error.message()));
      }
    }
    const std::string name = files[at->second].take(fs::path(answer.path).filename());
    place(answer.path, at->second / name, as, function);
  }
  made.keep(target, function);
}

}  // namespace openworld
