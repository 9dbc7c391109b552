#include "openworld/images/affine.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace openworld {
namespace {

double between(double low, double high, Random& random) {
  return low + (high - low) * random.uniform();
}

double radians(double degrees) {
  return degrees * std::numbers::pi / 180;
}

std::array<std::uint8_t, 3> border_colour(const ImageView& image) {
  std::array<std::uint8_t, 3> colour{};
  std::vector<std::uint8_t> values;
  for (std::size_t c = 0; c < 3; ++c) {
    values.clear();
    for (int x = 0; x < image.width; ++x) {
      values.push_back(image.row(0)[3 * x + static_cast<int>(c)]);
      values.push_back(image.row(image.height - 1)[3 * x + static_cast<int>(c)]);
    }
    for (int y = 1; y + 1 < image.height; ++y) {
      values.push_back(image.row(y)[c]);
      values.push_back(image.row(y)[3 * (image.width - 1) + static_cast<int>(c)]);
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    colour[c] = *middle;
  }
  return colour;
}

}  // namespace

AffineMap draw_affine(const AffineRange& range, int width, int height, Random& random) {
  const double angle = radians(between(-range.rotate, range.rotate, random));
  const double shear = std::tan(radians(between(-range.shear, range.shear, random)));
  const double low = std::log(range.low), high = std::log(range.high);
  const double across = std::exp(between(low, high, random));
  const double down = std::exp(between(low, high, random));
  const double x = between(-range.shift, range.shift, random) * width;
  const double y = between(-range.shift, range.shift, random) * height;
  const double flip = random.uniform() < range.flip ? -1 : 1;

  // Forward: target = R S D source + (x, y), with D = diag(flip * across, down), S = [1 shear; 0
  // 1]. Backward: source = D^-1 S^-1 R^T (target - (x, y)).
  const double cosine = std::cos(angle), sine = std::sin(angle);
  AffineMap map;
  map.xx = (cosine + shear * sine) / (flip * across);
  map.xy = (sine - shear * cosine) / (flip * across);
  map.yx = -sine / down;
  map.yy = cosine / down;
  map.x = -(map.xx * x + map.xy * y);
  map.y = -(map.yx * x + map.yy * y);
  return map;
}

Image warp(const ImageView& image, const AffineMap& map) {
  Image result = make_image(image.width, image.height);
  if (result.rgb.empty()) return result;
  const std::array<std::uint8_t, 3> outside = border_colour(image);
  const double middle_x = (image.width - 1) / 2.0, middle_y = (image.height - 1) / 2.0;
  const auto pixel = [&](int x, int y) {
    const bool inside = x >= 0 && x < image.width && y >= 0 && y < image.height;
    return inside ? image.row(y) + 3 * x : outside.data();
  };
  std::uint8_t* to = result.rgb.data();
  for (int v = 0; v < image.height; ++v) {
    for (int u = 0; u < image.width; ++u, to += 3) {
      const double dx = u - middle_x, dy = v - middle_y;
      const double x =
          std::clamp(map.xx * dx + map.xy * dy + map.x + middle_x, -2.0, image.width + 1.0);
      const double y =
          std::clamp(map.yx * dx + map.yy * dy + map.y + middle_y, -2.0, image.height + 1.0);
      const int left = static_cast<int>(std::floor(x)), top = static_cast<int>(std::floor(y));
      // 1/256 of a pixel is as fine as the values are.
      const int fx = static_cast<int>((x - left) * 256), fy = static_cast<int>((y - top) * 256);
      const std::uint8_t* const a = pixel(left, top);
      const std::uint8_t* const b = pixel(left + 1, top);
      const std::uint8_t* const c = pixel(left, top + 1);
      const std::uint8_t* const d = pixel(left + 1, top + 1);
      for (int k = 0; k < 3; ++k) {
        const int upper = a[k] * (256 - fx) + b[k] * fx;
        const int lower = c[k] * (256 - fx) + d[k] * fx;
        to[k] = static_cast<std::uint8_t>((upper * (256 - fy) + lower * fy + (1 << 15)) >> 16);
      }
    }
  }
  return result;
}

}  // namespace openworld
