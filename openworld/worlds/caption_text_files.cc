// Captions in text files: every line of photo.txt is one of photo.jpg.

#include <filesystem>

#include "openworld/io/mapped_file.h"
#include "openworld/worlds/file_captions.h"
#include "openworld/worlds/folders.h"

namespace openworld {

namespace fs = std::filesystem;

std::unique_ptr<CaptionSource> open_caption_text_files(const Origin& origin,
                                                       const CaptionOptions&) {
  std::error_code ignored;
  if (!fs::is_directory(origin.file, ignored)) return nullptr;
  std::vector<std::string> paths;
  collect_images(origin.file, "", origin, &paths);
  Dataset images;
  images.root = origin.file;
  std::vector<std::vector<std::string>> captions;
  for (const std::string& path : paths) {
    const fs::path text_path = (fs::path(origin.file) / path).replace_extension(".txt");
    if (!fs::is_regular_file(text_path, ignored)) {
      ++images.skipped;
      continue;
    }
    const Origin file{origin.function, text_path.string()};
    const Bytes bytes = map_file(file);
    std::string_view text = as_text(bytes.values);
    captions.emplace_back();
    while (!text.empty()) {
      const std::string_view line = take_line(&text);
      if (line.empty()) continue;
      check_caption(line, "the image", file);
      captions.back().emplace_back(line);
      check_caption_count(captions.back().size(), bytes.size(), file);
    }
    if (captions.back().empty()) file.fail("is empty; expected a caption a line");
    images.samples.push_back({.path = path});
  }
  if (captions.empty()) return nullptr;
  return std::make_unique<FileCaptions>("text-files", origin.file, std::move(images),
                                        std::move(captions));
}

}  // namespace openworld
