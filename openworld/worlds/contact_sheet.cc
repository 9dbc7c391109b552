#include "openworld/worlds/contact_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <string>
#include <vector>

#include "openworld/worlds/bitmap_font.h"
#include "openworld/worlds/ink.h"

namespace openworld {
namespace {

constexpr int kZoom = 2;
constexpr int kFontScale = 2;
constexpr int kGap = 8;      // between pictures
constexpr int kMargin = 20;  // around everything
constexpr std::uint8_t kBackground = 246, kFrame = 208, kTextGrey = 48;

// The image enlarged, in straight lines between the centres of pixels.
Image enlarge(const Image& from) {
  Image to = make_image(kZoom * from.width, kZoom * from.height);
  const auto at = [&](int x, int y, int c) {
    x = std::clamp(x, 0, from.width - 1);
    y = std::clamp(y, 0, from.height - 1);
    return int{from.rgb[static_cast<std::size_t>(3 * (y * from.width + x) + c)]};
  };
  // In units of half a new pixel, of which an old one has 2 * kZoom.
  constexpr int kUnit = 2 * kZoom;
  std::size_t i = 0;
  for (int y = 0; y < to.height; ++y) {
    for (int x = 0; x < to.width; ++x) {
      const int u = 2 * x + 1 + kZoom, v = 2 * y + 1 + kZoom;
      const int left = u / kUnit - 1, top = v / kUnit - 1, dx = u % kUnit, dy = v % kUnit;
      for (int c = 0; c < 3; ++c) {
        const int upper = at(left, top, c) * (kUnit - dx) + at(left + 1, top, c) * dx;
        const int lower = at(left, top + 1, c) * (kUnit - dx) + at(left + 1, top + 1, c) * dx;
        to.rgb[i++] =
            static_cast<std::uint8_t>((upper * (kUnit - dy) + lower * dy + 8) / (kUnit * kUnit));
      }
    }
  }
  return to;
}

void paste(const Image& picture, int left, int top, Image* sheet) {
  for (int y = -1; y <= picture.height; ++y) {
    const std::size_t row = 3 * static_cast<std::size_t>((top + y) * sheet->width + left);
    std::fill_n(&sheet->rgb[row - 3], 3 * (picture.width + 2), kFrame);
    if (y < 0 || y == picture.height) continue;
    std::copy_n(&picture.rgb[static_cast<std::size_t>(3 * y * picture.width)], 3 * picture.width,
                &sheet->rgb[row]);
  }
}

}  // namespace

Image contact_sheet(const Doodles& doodles, const DoodleSpec& spec, const DoodleSplit& split,
                    const SheetOptions& options) {
  assert(options.rows >= 1 && options.columns >= 1);
  const auto classes = static_cast<int>(spec.dataset->classes.size());
  const int rows = std::min(options.rows, classes);
  const int columns = std::min(options.columns, split.end - split.begin);
  std::vector<std::string_view> names;
  int names_width = 0;
  for (int row = 0; row < rows; ++row) {
    names.push_back(spec.dataset->classes[static_cast<std::size_t>(row * classes / rows)]);
    names_width = std::max(names_width, text_width(names.back(), kFontScale));
  }
  const std::string title =
      fmt::format("{} {}, {} of {} classes", spec.text(), split.name, rows, classes);
  const int line = text_height(kFontScale);
  const int side = kZoom * kPictureSide, step = side + kGap;
  const int left = kMargin + names_width + kMargin;
  const int top = kMargin + line + kMargin;
  const int width = std::max(left + columns * step - kGap, kMargin + text_width(title, kFontScale));
  Image sheet = make_image(width + kMargin, top + rows * step - kGap + kMargin);
  std::ranges::fill(sheet.rgb, kBackground);
  write_text(&sheet, kMargin, kMargin, title, kFontScale, kTextGrey);
  for (int row = 0; row < rows; ++row) {
    const std::string_view name = names[static_cast<std::size_t>(row)];
    const int y = top + row * step;
    write_text(&sheet, left - kMargin - text_width(name, kFontScale), y + (side - line) / 2, name,
               kFontScale, kTextGrey);
    const int class_index = doodles.find(name);
    for (int column = 0; column < columns; ++column) {
      const int k = split.begin + column;
      const std::uint64_t key = doodle_key(spec.seed, class_index, k, spec.look->look);
      const Picture picture = draw(doodles, class_index, k, {.look = spec.look->look, .key = key});
      paste(enlarge(picture.image), left + column * step, y, &sheet);
    }
  }
  return sheet;
}

}  // namespace openworld
