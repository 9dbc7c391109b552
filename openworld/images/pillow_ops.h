#pragma once

// The operations of RandAugment with the bits of Pillow 9.4 on RGB images: ImageOps, ImageEnhance
// and Image.transform with its default, the nearest pixel and black outside.

#include <array>
#include <cstdint>

#include "openworld/images/image.h"

namespace openworld {

// ImageOps.autocontrast, equalize, invert, posterize (1 to 8 bits are kept), solarize (values from
// `threshold` on are inverted).
Image autocontrast(const ImageView& image);
Image equalize(const ImageView& image);
Image invert(const ImageView& image);
Image posterize(const ImageView& image, int bits);
Image solarize(const ImageView& image, double threshold);

// `addition` is added to every value, cut to 0 .. 255 and rounded down; then solarize at 128.
Image solarize_add(const ImageView& image, double addition);

// ImageEnhance.Color, Contrast, Brightness, Sharpness with .enhance(factor); 1 changes nothing.
Image enhance_color(const ImageView& image, double factor);
Image enhance_contrast(const ImageView& image, double factor);
Image enhance_brightness(const ImageView& image, double factor);
Image enhance_sharpness(const ImageView& image, double factor);

// Image.transform(size, AFFINE, (a, b, c, d, e, f)): a pixel (x, y) comes from (a x + b y + c, d x
// + e y + f), both taken at centres. REQUIRES: sides below 2^15.
Image affine_nearest(const ImageView& image, const std::array<double, 6>& map);

// Image.rotate(degrees), counter-clockwise about the centre. REQUIRES: sides below 2^15.
Image rotate_nearest(const ImageView& image, double degrees);

// ImageDraw.rectangle((x0, y0, x1, y1), colour): coordinates are cut to integers, the last ones
// included. REQUIRES: x0 <= x1 and y0 <= y1, within the range of int.
Image fill_rectangle(const ImageView& image, const std::array<double, 4>& box,
                     const std::array<std::uint8_t, 3>& colour);

}  // namespace openworld
