#include "openworld/images/pillow_ops.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numbers>

namespace openworld {
namespace {

using Table = std::array<std::uint8_t, 256>;

template <class F>
Table make_table(const F& value) {
  Table table;
  for (int i = 0; i < 256; ++i) table[static_cast<std::size_t>(i)] = value(i);
  return table;
}

std::uint8_t clipped(std::int64_t value) {
  return static_cast<std::uint8_t>(std::clamp<std::int64_t>(value, 0, 255));
}

// Channel c through tables[c].
Image look_up(const ImageView& image, const std::array<Table, 3>& tables) {
  Image result = make_image(image.width, image.height);
  std::size_t i = 0;
  for (int y = 0; y < image.height; ++y) {
    const std::uint8_t* row = image.row(y);
    for (int x = 0; x < image.width; ++x) {
      for (std::size_t c = 0; c < 3; ++c) result.rgb[i++] = tables[c][*row++];
    }
  }
  return result;
}

Image look_up(const ImageView& image, const Table& table) {
  return look_up(image, {table, table, table});
}

using Histogram = std::array<std::int64_t, 256>;

std::array<Histogram, 3> histograms(const ImageView& image) {
  std::array<Histogram, 3> counts{};
  for (int y = 0; y < image.height; ++y) {
    const std::uint8_t* row = image.row(y);
    for (int x = 0; x < image.width; ++x) {
      for (Histogram& count : counts) ++count[*row++];
    }
  }
  return counts;
}

Table autocontrast_table(const Histogram& counts) {
  int low = 0, high = 255;
  while (low < 256 && counts[static_cast<std::size_t>(low)] == 0) ++low;
  while (high >= 0 && counts[static_cast<std::size_t>(high)] == 0) --high;
  if (high <= low) return make_table([](int i) { return static_cast<std::uint8_t>(i); });
  const double scale = 255.0 / (high - low);
  const double offset = -low * scale;
  return make_table([&](int i) { return clipped(static_cast<std::int64_t>(i * scale + offset)); });
}

Table equalize_table(const Histogram& counts) {
  std::int64_t sum = 0, last = 0, values = 0;
  for (const std::int64_t count : counts) {
    if (count == 0) continue;
    sum += count;
    last = count;
    ++values;
  }
  const std::int64_t step = values <= 1 ? 0 : (sum - last) / 255;
  if (step == 0) return make_table([](int i) { return static_cast<std::uint8_t>(i); });
  std::int64_t n = step / 2;
  return make_table([&](int i) {
    const std::uint8_t value = clipped(n / step);
    n += counts[static_cast<std::size_t>(i)];
    return value;
  });
}

// As Pillow converts to mode L.
std::uint8_t grey_of(const std::uint8_t* pixel) {
  return static_cast<std::uint8_t>(
      (pixel[0] * 19595 + pixel[1] * 38470 + pixel[2] * 7471 + 0x8000) >> 16);
}

// Image.blend in single precision: values between the two are rounded down, those beyond are cut.
std::uint8_t blend(std::uint8_t from, std::uint8_t to, float alpha) {
  const float value = static_cast<float>(from) + alpha * static_cast<float>(int{to} - int{from});
  if (value <= 0) return 0;
  if (value >= 255) return 255;
  return static_cast<std::uint8_t>(value);
}

// From a dull image, given by dull(x, y, c), towards the image and beyond.
template <class F>
Image enhance(const ImageView& image, double factor, const F& dull) {
  const auto alpha = static_cast<float>(factor);
  Image result = make_image(image.width, image.height);
  std::size_t i = 0;
  for (int y = 0; y < image.height; ++y) {
    const std::uint8_t* row = image.row(y);
    for (int x = 0; x < image.width; ++x) {
      for (int c = 0; c < 3; ++c, ++i) result.rgb[i] = blend(dull(x, y, c), row[3 * x + c], alpha);
    }
  }
  return result;
}

// ImageFilter.SMOOTH: weights 1 and 5 in the middle, of 13. Pillow computes it in floats; no sum of
// bytes over 13 is close to a half, so that integers give the same.
std::uint8_t smooth(const ImageView& image, int x, int y, int c) {
  const auto at = [&](int u, int v) { return int{image.row(v)[3 * u + c]}; };
  if (x == 0 || y == 0 || x == image.width - 1 || y == image.height - 1) {
    return static_cast<std::uint8_t>(at(x, y));
  }
  int sum = 4 * at(x, y);
  for (int v = y - 1; v <= y + 1; ++v) {
    for (int u = x - 1; u <= x + 1; ++u) sum += at(u, v);
  }
  return clipped((2 * sum + 13) / 26);
}

// Round to 15 decimals, as Python's round does: the nearest decimal, not the nearest product.
double round15(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.15f", value);
  return std::strtod(text, nullptr);
}

}  // namespace

Image autocontrast(const ImageView& image) {
  const auto counts = histograms(image);
  return look_up(image, {autocontrast_table(counts[0]), autocontrast_table(counts[1]),
                         autocontrast_table(counts[2])});
}

Image equalize(const ImageView& image) {
  const auto counts = histograms(image);
  return look_up(image,
                 {equalize_table(counts[0]), equalize_table(counts[1]), equalize_table(counts[2])});
}

Image invert(const ImageView& image) {
  return look_up(image, make_table([](int i) { return static_cast<std::uint8_t>(255 - i); }));
}

Image posterize(const ImageView& image, int bits) {
  assert(bits >= 1 && bits <= 8);
  const int mask = 0xff << (8 - bits);
  return look_up(image, make_table([&](int i) { return static_cast<std::uint8_t>(i & mask); }));
}

Image solarize(const ImageView& image, double threshold) {
  return look_up(image, make_table([&](int i) {
                   return static_cast<std::uint8_t>(i < threshold ? i : 255 - i);
                 }));
}

Image solarize_add(const ImageView& image, double addition) {
  return look_up(image, make_table([&](int i) {
                   const int sum = static_cast<int>(std::clamp(i + addition, 0.0, 255.0));
                   return static_cast<std::uint8_t>(sum < 128 ? sum : 255 - sum);
                 }));
}

Image enhance_color(const ImageView& image, double factor) {
  return enhance(image, factor, [&](int x, int y, int) { return grey_of(image.row(y) + 3 * x); });
}

Image enhance_contrast(const ImageView& image, double factor) {
  std::int64_t sum = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) sum += grey_of(image.row(y) + 3 * x);
  }
  const double pixels = static_cast<double>(image.width) * image.height;
  const auto mean = static_cast<std::uint8_t>(static_cast<double>(sum) / pixels + 0.5);
  return enhance(image, factor, [&](int, int, int) { return mean; });
}

Image enhance_brightness(const ImageView& image, double factor) {
  return enhance(image, factor, [](int, int, int) { return std::uint8_t{0}; });
}

Image enhance_sharpness(const ImageView& image, double factor) {
  return enhance(image, factor, [&](int x, int y, int c) { return smooth(image, x, y, c); });
}

Image affine_nearest(const ImageView& image, const std::array<double, 6>& map) {
  assert(image.width < 1 << 15 && image.height < 1 << 15);
  // Q16, as Pillow has it for images of this size.
  const auto fixed = [](double value) {
    return static_cast<std::int64_t>(std::floor(value * 65536.0 + 0.5));
  };
  const std::int64_t xx = fixed(map[0]), xy = fixed(map[1]), yx = fixed(map[3]), yy = fixed(map[4]);
  std::int64_t row_x = fixed(map[2] + map[0] * 0.5 + map[1] * 0.5);
  std::int64_t row_y = fixed(map[5] + map[3] * 0.5 + map[4] * 0.5);
  Image result = make_image(image.width, image.height);
  std::uint8_t* out = result.rgb.data();
  for (int y = 0; y < image.height; ++y, row_x += xy, row_y += yy) {
    std::int64_t from_x = row_x, from_y = row_y;
    for (int x = 0; x < image.width; ++x, out += 3, from_x += xx, from_y += yx) {
      const std::int64_t u = from_x >> 16, v = from_y >> 16;
      if (u < 0 || u >= image.width || v < 0 || v >= image.height) continue;
      std::memcpy(out, image.row(v) + 3 * u, 3);
    }
  }
  return result;
}

Image rotate_nearest(const ImageView& image, double degrees) {
  const double turned = -degrees * std::numbers::pi / 180;
  const double cosine = round15(std::cos(turned)), sine = round15(std::sin(turned));
  // In the order of Pillow's sums.
  const double x = image.width / 2.0, y = image.height / 2.0;
  return affine_nearest(image, {cosine, sine, cosine * -x + sine * -y + x, -sine, cosine,
                                -sine * -x + cosine * -y + y});
}

Image fill_rectangle(const ImageView& image, const std::array<double, 4>& box,
                     const std::array<std::uint8_t, 3>& colour) {
  Image result = make_image(image.width, image.height);
  const std::size_t stride = std::size_t{3} * static_cast<std::size_t>(image.width);
  for (int y = 0; y < image.height; ++y) {
    std::memcpy(&result.rgb[static_cast<std::size_t>(y) * stride], image.row(y), stride);
  }
  const int left = std::max(static_cast<int>(box[0]), 0);
  const int top = std::max(static_cast<int>(box[1]), 0);
  const int right = std::min(static_cast<int>(box[2]), image.width - 1);
  const int bottom = std::min(static_cast<int>(box[3]), image.height - 1);
  for (int y = top; y <= bottom; ++y) {
    for (int x = left; x <= right; ++x) {
      std::memcpy(
          &result.rgb[static_cast<std::size_t>(y) * stride + 3 * static_cast<std::size_t>(x)],
          colour.data(), 3);
    }
  }
  return result;
}

}  // namespace openworld
