#pragma once

// Listing of folders, shared by all formats.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/io/origin.h"

namespace openworld {

// Whether the name ends as an image that can be decoded does: .jpg, .jpeg, .png, .webp, in any
// case.
bool is_image_name(std::string_view name);
inline constexpr std::string_view kImageEndings = ".jpg, .jpeg, .png or .webp";

// What a folder holds, by name, without what starts with a dot.
struct FolderListing {
  std::vector<std::string> folders;
  std::vector<std::string> images;
  std::vector<std::string> others;

  // "3 folders, 12 images, 1 other file".
  std::string summary() const;
};

// Sorted by bytes. Links are followed. Throws Error if it cannot be listed.
FolderListing list_folder(const Origin& origin);

// The same, but empty if it cannot be listed.
FolderListing peek_folder(const std::string& path);

// Appends the images below `folder`, at any depth, as paths relative to `root`, sorted; returns how
// many other files there are. Links to folders are not followed here: they could form cycles.
std::size_t collect_images(const std::filesystem::path& root, const std::string& folder,
                           const Origin& origin, std::vector<std::string>* paths);

// The folder that a file lies in; "." where the path names none.
std::string folder_of(const std::string& path);

// What a folder, or a class in a list, is called whose images are of no class: label -1.
inline constexpr std::string_view kUnknownClass = "unknown";

// The split names that the field uses for folders: train, val, valid, validation, test.
bool is_split_name(std::string_view name);

// `wanted` if it is among `splits`; Error that lists them otherwise, also for an empty one.
void require_split(const std::string& wanted, const std::vector<std::string>& splits,
                   const Origin& origin);

}  // namespace openworld
