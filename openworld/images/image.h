#pragma once

// An image in memory: 8-bit RGB, rows top to bottom, pixels left to right, channels interleaved.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace openworld {

struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;  // 3 * width * height
};

// Black, width x height.
inline Image make_image(std::int64_t width, std::int64_t height) {
  return {static_cast<int>(width), static_cast<int>(height),
          std::vector<std::uint8_t>(static_cast<std::size_t>(3 * width * height))};
}

// A rectangle of whole pixels.
struct Rect {
  std::int64_t left = 0;
  std::int64_t top = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;

  bool operator==(const Rect&) const = default;
};

// A view of a rectangle of an image, which it does not own. Cropping copies nothing.
struct ImageView {
  const std::uint8_t* rgb = nullptr;
  int width = 0;
  int height = 0;
  std::size_t stride = 0;  // bytes from a row to the next

  ImageView(const Image& image)  // NOLINT(google-explicit-constructor): a whole image is a view
      : rgb(image.rgb.data()),
        width(image.width),
        height(image.height),
        stride(std::size_t{3} * static_cast<std::size_t>(image.width)) {}

  const std::uint8_t* row(std::int64_t y) const {
    return rgb + static_cast<std::size_t>(y) * stride;
  }

  // REQUIRES: `rect` lies within the view.
  ImageView crop(const Rect& rect) const {
    ImageView result = *this;
    result.rgb = row(rect.top) + 3 * rect.left;
    result.width = static_cast<int>(rect.width);
    result.height = static_cast<int>(rect.height);
    return result;
  }
};

}  // namespace openworld
