#include "openworld/worlds/icons.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <filesystem>

#include "openworld/io/data_folder.h"
#include "openworld/io/npy_values.h"
#include "openworld/io/npz.h"
#include "openworld/worlds/bundled_file.h"

namespace openworld {
namespace {

constexpr std::size_t kPixels = std::size_t{kIconSide} * kIconSide;
constexpr std::size_t kColours = 256;
constexpr std::size_t kAny = static_cast<std::size_t>(-1);

std::string theme_place(std::string_view array, std::size_t row) {
  return fmt::format("{} row {}", array, row);
}

}  // namespace

Icons::Icons(const std::string& path) : archive_(open_bundled(path, "open_icons", "icons")) {
  names_ = texts("names", kAny);
  if (names_.empty() || !std::ranges::is_sorted(names_)) {
    archive_.origin().fail("names are not sorted; scripts/make-icons writes the file");
  }
  const std::vector<std::string> themes = texts("themes", kAny);
  const std::vector<std::string> descriptions = texts("descriptions", themes.size());
  const std::vector<std::string> prompts = texts("templates", themes.size());
  const std::vector<std::int32_t> theme = numbers("theme", names_.size(), themes.size());
  themes_.push_back({"all", fmt::format("all {} classes", names_.size()), "an icon of a {}.", {}});
  for (std::size_t t = 0; t < themes.size(); ++t) {
    if (prompts[t].find("{}") == std::string::npos) {
      archive_.origin().fail(theme_place("templates", t) + " has no {}");
    }
    themes_.push_back({themes[t], descriptions[t], prompts[t], {}});
  }
  for (std::size_t label = 0; label < names_.size(); ++label) {
    const auto row = static_cast<std::int32_t>(label);
    themes_[0].labels.push_back(row);
    themes_[static_cast<std::size_t>(theme[label]) + 1].labels.push_back(row);
  }
  styles_ = texts("styles", kAny);
  sets_ = texts("sets", kAny);
  for (const std::int32_t style : numbers("style", sets_.size(), styles_.size())) {
    style_of_set_.push_back(static_cast<std::size_t>(style));
  }
  palette_ = bytes("palette", {kColours, 3});
}

const Icons& Icons::get() {
  static const Icons icons((std::filesystem::path(data_folder()) / "icons.npz").string());
  return icons;
}

std::vector<std::string> Icons::texts(std::string_view name, std::size_t count) const {
  const NpyArray array = require_array(archive_, name);
  require_dimensions(array, 1, archive_.origin());
  std::vector<std::string> values = to_strings(array, archive_.origin());
  if (count != kAny && values.size() != count) {
    archive_.origin().fail(
        fmt::format("{} has {} entries; expected {}", name, values.size(), count));
  }
  return values;
}

std::vector<std::int32_t> Icons::numbers(std::string_view name, std::size_t count,
                                         std::size_t limit) const {
  const Origin& origin = archive_.origin();
  const NpyArray array = require_array(archive_, name);
  require_dimensions(array, 1, origin);
  const Column<std::int32_t> column =
      to_integers<std::int32_t>(array, fmt::format("0 to {}", limit - 1), origin);
  if (count != kAny && column.values.size() != count) {
    origin.fail(fmt::format("{} has {} entries; expected {}", name, column.values.size(), count));
  }
  std::vector<std::int32_t> values(column.values.begin(), column.values.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= 0 && static_cast<std::size_t>(values[i]) < limit) continue;
    origin.fail(
        fmt::format("{} is {}; expected 0 to {}", theme_place(name, i), values[i], limit - 1));
  }
  return values;
}

Bytes Icons::bytes(std::string_view name, std::vector<std::size_t> shape) const {
  return require_bytes(archive_, name, shape);
}

IconSplit Icons::read_split(std::string_view name) const {
  const auto part = [&](std::string_view what) { return fmt::format("{}_{}", name, what); };
  IconSplit split;
  split.labels = numbers(part("label"), kAny, names_.size());
  const std::size_t count = split.labels.size();
  if (!std::ranges::is_sorted(split.labels)) {
    archive_.origin().fail(part("label") + " does not ascend");
  }
  for (const std::int32_t set : numbers(part("set"), count, std::min(sets_.size(), kColours))) {
    split.sets.push_back(static_cast<std::uint8_t>(set));
  }
  split.ids = texts(part("id"), count);
  split.pixels = bytes(name, {count, kIconSide, kIconSide});
  return split;
}

const IconSplit& Icons::split(std::size_t s) const {
  assert(s < kIconSplits.size());
  std::call_once(once_[s], [&] { splits_[s] = read_split(kIconSplits[s]); });
  return splits_[s];
}

Image Icons::picture(std::size_t s, std::size_t row) const {
  const auto indices = split(s).pixels.values.subspan(row * kPixels, kPixels);
  Image image = make_image(kIconSide, kIconSide);
  for (std::size_t i = 0; i < kPixels; ++i) {
    const auto colour = palette_.values.subspan(3 * static_cast<std::size_t>(indices[i]), 3);
    for (std::size_t c = 0; c < 3; ++c) {
      image.rgb[3 * i + c] = static_cast<std::uint8_t>(colour[c]);
    }
  }
  return image;
}

}  // namespace openworld
