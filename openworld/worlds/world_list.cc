#include "openworld/worlds/world_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "openworld/worlds/dataset.h"
#include "openworld/worlds/doodle_spec.h"
#include "openworld/worlds/downloads.h"
#include "openworld/worlds/icon_spec.h"

namespace openworld {
namespace {

World doodles_world() {
  World world{.name = "doodles",
              .description = "345 classes of 20-second drawings, from Google's Quick, Draw!",
              .syntax = "doodles:NAME, optionally with @LOOK and #SEED",
              .variant = "look",
              .example = "doodles:animals@chalk",
              .splits = {},
              .datasets = {},
              .variants = {}};
  for (const DoodleSplit& split : kDoodleSplits) world.splits.emplace_back(split.name);
  for (const DoodleDataset& row : doodle_datasets()) {
    world.datasets.push_back({.name = std::string(row.name),
                              .description = std::string(row.description),
                              .prompt = std::string(row.prompt),
                              .theme = std::string(row.theme),
                              .classes = {row.classes.begin(), row.classes.end()}});
  }
  for (const LookRow& row : looks()) {
    world.variants.push_back(
        {std::string(row.name), std::string(row.description), std::string(row.mirrors)});
  }
  return world;
}

// "Game Icons" as the file has it: the identifiers of the sets.
std::string sets_of_style(const Icons& icons, std::size_t style) {
  std::vector<std::string> sets;
  for (std::size_t set = 0; set < icons.sets().size(); ++set) {
    if (icons.style_of(set) == style) sets.push_back(icons.sets()[set]);
  }
  return fmt::format("{}", fmt::join(sets, ", "));
}

World icons_world() {
  const Icons& icons = Icons::get();
  World world{.name = "icons",
              .description = fmt::format("{} classes of open-source icons from sets that the "
                                         "pocket model has not seen",
                                         icons.names().size()),
              .syntax = "icons:NAME, optionally with @STYLE",
              .variant = "style",
              .example = "icons:animals@game",
              .splits = {kIconSplits.begin(), kIconSplits.end()},
              .datasets = {},
              .variants = {}};
  for (const IconTheme& theme : icons.themes()) {
    WorldDataset row{.name = theme.name,
                     .description = theme.description,
                     .prompt = theme.prompt,
                     .classes = {}};
    for (const std::int32_t label : theme.labels) {
      row.classes.push_back(icons.names()[static_cast<std::size_t>(label)]);
    }
    world.datasets.push_back(std::move(row));
  }
  for (std::size_t style = 0; style < icons.styles().size(); ++style) {
    world.variants.push_back({icons.styles()[style], sets_of_style(icons, style)});
  }
  return world;
}

World download_world(const Download& download) {
  const std::string name(download.name), description(download.description);
  return {.name = name,
          .description = description,
          .syntax = name,
          .variant = "",
          .example = name,
          .splits = {"train", "test"},
          .datasets = {{.name = name,
                        .description = description,
                        .prompt = std::string(download.prompt),
                        .classes = {download.classes.begin(), download.classes.end()}}},
          .variants = {}};
}

template <class Row>
const Row& row_of(const std::vector<Row>& rows, std::string_view name) {
  return *std::ranges::find(rows, name, &Row::name);
}

}  // namespace

std::vector<World> bundled_worlds() {
  return {doodles_world(), icons_world()};
}

NamedDataset parse_world_dataset(const Origin& origin) {
  if (is_doodle_spec(origin.file)) {
    const DoodleSpec spec = parse_doodle_spec(origin);
    World world = doodles_world();
    WorldDataset dataset = row_of(world.datasets, spec.dataset->name);
    WorldVariant look = row_of(world.variants, spec.look->name);
    return {std::move(world), std::move(dataset), std::move(look), spec.seed, spec.text()};
  }
  if (is_icon_spec(origin.file)) {
    const IconSpec spec = parse_icon_spec(origin);
    World world = icons_world();
    WorldDataset dataset = row_of(world.datasets, spec.theme->name);
    std::optional<WorldVariant> style;
    if (spec.style) style = world.variants[*spec.style];
    return {std::move(world), std::move(dataset), std::move(style), {}, spec.text()};
  }
  if (const Download* const download = find_download(origin.file)) {
    World world = download_world(*download);
    WorldDataset dataset = world.datasets[0];
    return {std::move(world), std::move(dataset), {}, {}, std::string(download->name)};
  }
  origin.fail(
      "is not a dataset of a world; expected doodles:NAME, icons:NAME, mnist, fashion-mnist or "
      "cifar10");
}

std::vector<std::pair<std::string, std::size_t>> image_counts(const World& world,
                                                              const std::string& dataset) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  // Known without the images.
  if (const Download* const download = find_download(dataset)) {
    return {{"train", download->train_images}, {"test", download->test_images}};
  }
  for (const std::string& split : world.splits) {
    counts.emplace_back(split, open_dataset(dataset, {.split = split}).samples.size());
  }
  return counts;
}

}  // namespace openworld
