// Icons as a dataset, encoded as PNG when asked for.

#include <fmt/format.h>

#include <algorithm>

#include "openworld/worlds/drawn_source.h"
#include "openworld/worlds/folders.h"
#include "openworld/worlds/format.h"
#include "openworld/worlds/icon_spec.h"
#include "openworld/worlds/spec_text.h"

namespace openworld {
namespace {

class IconSource : public DrawnSource {
 public:
  IconSource(std::string spec, std::size_t split) : DrawnSource(std::move(spec)), split_(split) {}

  Image draw(const Sample& sample) const override {
    return Icons::get().picture(split_, static_cast<std::size_t>(sample.place));
  }

 private:
  std::size_t split_;
};

bool recognise_icons(const std::string& path) {
  return names_world(path, is_icon_spec(path));
}

Dataset open_icons(const Origin& origin, const DatasetOptions& options) {
  const IconSpec spec = parse_icon_spec(origin);
  Dataset dataset;
  for (const std::string_view split : kIconSplits) dataset.splits.emplace_back(split);
  dataset.split = options.split.empty() ? "test" : options.split;
  require_split(dataset.split, dataset.splits, origin);
  const auto s =
      static_cast<std::size_t>(std::ranges::find(kIconSplits, dataset.split) - kIconSplits.begin());
  const Icons& icons = Icons::get();
  const IconSplit& split = icons.split(s);
  dataset.root = spec.text();
  dataset.templates = spec.theme->prompt;
  dataset.source = std::make_shared<IconSource>(dataset.root, s);
  for (const std::int32_t of_world : spec.theme->labels) {
    const auto label = static_cast<std::int32_t>(dataset.classes.size());
    const std::string& name = icons.names()[static_cast<std::size_t>(of_world)];
    const auto rows = std::equal_range(split.labels.begin(), split.labels.end(), of_world);
    for (auto at = rows.first; at != rows.second; ++at) {
      const auto row = static_cast<std::size_t>(at - split.labels.begin());
      const std::size_t set = split.sets[row];
      if (spec.style && icons.style_of(set) != *spec.style) continue;
      dataset.samples.push_back({.path = fmt::format("{}/{}/{}-{}.png", kIconSplits[s], name,
                                                     icons.sets()[set], split.ids[row]),
                                 .label = label,
                                 .place = row});
    }
    dataset.classes.push_back(name);
  }
  rename_classes(dataset, origin, options);
  return dataset;
}

}  // namespace

const DatasetFormat kIcons = {
    "icons", "bundled icons: icons:NAME, optionally with @STYLE; see `openworld worlds`", false,
    recognise_icons, open_icons};

}  // namespace openworld
