#pragma once

// Images that a caller has, as a dataset without labels: files, folders, and pixels in memory.

#include <string>
#include <string_view>
#include <vector>

#include "openworld/worlds/dataset.h"

namespace openworld {

// An image in memory: 8-bit RGB, rows top to bottom, channels interleaved.
struct PixelImage {
  Column<std::uint8_t> rgb;  // 3 * width * height
  int width = 0, height = 0;
};

class ImageList {
 public:
  explicit ImageList(std::string_view function) : function_(function) {}

  // An image file, or the images in a folder and the folders in it. Throws Error as [function].
  void add_path(const std::string& path);

  // Named "image[N]" by its place in the list. It is read as the PNG file of these pixels would be,
  // so that it has the same features. Throws Error as [function] for another number of values.
  void add_pixels(PixelImage image);

  Dataset dataset() const;

 private:
  std::string function_;
  std::vector<Sample> samples_;
  std::size_t skipped_ = 0;         // files in folders that are not named like an image
  std::vector<PixelImage> pixels_;  // at Sample::place - 1; 0: a file
};

}  // namespace openworld
