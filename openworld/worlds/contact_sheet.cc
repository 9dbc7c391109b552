#include "openworld/worlds/contact_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <string>
#include <vector>

#include "openworld/worlds/bitmap_font.h"
#include "openworld/worlds/drawn_source.h"

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

struct SheetRow {
  std::string name;
  std::vector<const Sample*> samples;
  std::vector<Image> pictures;
};

// Of the classes that have pictures, the samples by label.
std::vector<SheetRow> pick_rows(const Dataset& dataset, const SheetOptions& options) {
  std::vector<SheetRow> all(dataset.classes.size());
  for (std::size_t label = 0; label < all.size(); ++label) all[label].name = dataset.classes[label];
  for (const Sample& sample : dataset.samples) {
    SheetRow& row = all[static_cast<std::size_t>(sample.label)];
    if (row.samples.size() < static_cast<std::size_t>(options.columns)) {
      row.samples.push_back(&sample);
    }
  }
  std::erase_if(all, [](const SheetRow& row) { return row.samples.empty(); });
  const std::size_t count = std::min(static_cast<std::size_t>(options.rows), all.size());
  std::vector<SheetRow> rows;
  for (std::size_t i = 0; i < count; ++i) rows.push_back(std::move(all[i * all.size() / count]));
  return rows;
}

}  // namespace

Image contact_sheet(const Dataset& dataset, const SheetOptions& options) {
  assert(options.rows >= 1 && options.columns >= 1);
  const auto* const source = dynamic_cast<const DrawnSource*>(dataset.source.get());
  assert(source != nullptr);
  std::vector<SheetRow> rows = pick_rows(dataset, options);
  int names_width = 0, columns = 0, side = 0;
  for (SheetRow& row : rows) {
    names_width = std::max(names_width, text_width(row.name, kFontScale));
    columns = std::max(columns, static_cast<int>(row.samples.size()));
    for (const Sample* sample : row.samples) {
      row.pictures.push_back(enlarge(source->draw(*sample)));
      side = std::max(side, row.pictures.back().width);
    }
  }
  const std::string title = fmt::format("{} {}, {} of {} classes", dataset.root, dataset.split,
                                        rows.size(), dataset.classes.size());
  const int line = text_height(kFontScale), step = side + kGap;
  const int left = kMargin + names_width + kMargin;
  const int top = kMargin + line + kMargin;
  const int width = std::max(left + columns * step - kGap, kMargin + text_width(title, kFontScale));
  Image sheet =
      make_image(width + kMargin, top + static_cast<int>(rows.size()) * step - kGap + kMargin);
  std::ranges::fill(sheet.rgb, kBackground);
  write_text(&sheet, kMargin, kMargin, title, kFontScale, kTextGrey);
  int y = top;
  for (const SheetRow& row : rows) {
    write_text(&sheet, left - kMargin - text_width(row.name, kFontScale), y + (side - line) / 2,
               row.name, kFontScale, kTextGrey);
    int x = left;
    for (const Image& picture : row.pictures) {
      paste(picture, x, y, &sheet);
      x += step;
    }
    y += step;
  }
  return sheet;
}

}  // namespace openworld
