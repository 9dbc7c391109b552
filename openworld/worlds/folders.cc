#include "openworld/worlds/folders.h"

#include <fmt/format.h>

#include <algorithm>

#include "openworld/io/machine_error.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

bool is_hidden(std::string_view name) {
  return name.starts_with('.');
}

std::string lower_ascii(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c += 0x20;
  }
  return lower;
}

std::string counted(std::size_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

FolderListing list(const std::string& path, std::error_code& error) {
  FolderListing listing;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    std::string name = it->path().filename().string();
    if (is_hidden(name)) continue;
    std::error_code ignored;  // a dangling link is some other file
    auto& kind = it->is_directory(ignored) ? listing.folders
                 : is_image_name(name)     ? listing.images
                                           : listing.others;
    kind.push_back(std::move(name));
  }
  for (auto* names : {&listing.folders, &listing.images, &listing.others}) {
    std::sort(names->begin(), names->end());
  }
  return listing;
}

}  // namespace

bool is_image_name(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return false;
  const std::string ending = lower_ascii(name.substr(dot));
  return ending == ".jpg" || ending == ".jpeg" || ending == ".png" || ending == ".webp";
}

std::string FolderListing::summary() const {
  return fmt::format("{}, {} and {}", counted(folders.size(), "folder"),
                     counted(images.size(), "image"), counted(others.size(), "other file"));
}

FolderListing list_folder(const Origin& origin) {
  std::error_code error;
  FolderListing listing = list(origin.file, error);
  if (error) fail_with_errno(origin, "cannot list the folder", error.value());
  return listing;
}

FolderListing peek_folder(const std::string& path) {
  std::error_code error;
  FolderListing listing = list(path, error);
  return error ? FolderListing() : listing;
}

std::size_t collect_images(const fs::path& root, const std::string& folder, const Origin& origin,
                           std::vector<std::string>* paths) {
  std::size_t others = 0;
  std::error_code error;
  const std::size_t before = paths->size();
  // Cut off as text: lexically_relative would take most of the time on a million files.
  const std::size_t prefix = (root / "").native().size();
  fs::recursive_directory_iterator it(root / folder, error), end;
  for (; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    std::error_code ignored;
    const bool is_folder = it->is_directory(ignored);
    if (is_hidden(name)) {
      if (is_folder) it.disable_recursion_pending();
    } else if (!is_folder && is_image_name(name)) {
      paths->push_back(it->path().native().substr(prefix));
    } else if (!is_folder) {
      ++others;
    }
  }
  if (error) {
    fail_with_errno(origin, fmt::format("cannot list the folder {}", in_quotes(folder)),
                    error.value());
  }
  std::sort(paths->begin() + static_cast<std::ptrdiff_t>(before), paths->end());
  return others;
}

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

bool is_split_name(std::string_view name) {
  return name == "train" || name == "val" || name == "valid" || name == "validation" ||
         name == "test";
}

NoSplitNamed::NoSplitNamed(const Origin& origin, std::vector<std::string> splits)
    : Error(origin.function, fmt::format("{}: has the splits {}; name one with --split, or split=",
                                         origin.file, fmt::join(splits, ", "))),
      splits_(std::move(splits)) {}

void require_split(const std::string& wanted, const std::vector<std::string>& splits,
                   const Origin& origin) {
  if (std::find(splits.begin(), splits.end(), wanted) != splits.end()) return;
  const std::string list = fmt::format("{}", fmt::join(splits, ", "));
  if (splits.empty()) {
    origin.fail(fmt::format("has no splits, but the split {} was requested", in_quotes(wanted)));
  }
  if (wanted.empty()) throw NoSplitNamed(origin, splits);
  origin.fail(fmt::format("has no split {}; it has {}", in_quotes(wanted), list));
}

}  // namespace openworld
