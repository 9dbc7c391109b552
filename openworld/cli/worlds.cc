// openworld worlds: lists the worlds and draws pictures of them.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/print_rows.h"
#include "openworld/io/atomic_file.h"
#include "openworld/io/png_writer.h"
#include "openworld/io/run_cost.h"
#include "openworld/worlds/contact_sheet.h"
#include "openworld/worlds/downloads.h"
#include "openworld/worlds/folders.h"
#include "openworld/worlds/world_list.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kFunction = "worlds";
Json images_json(const World& world, const std::string& dataset) {
  Json json = Json::object();
  for (const auto& [split, count] : image_counts(world, dataset)) json[split] = count;
  return json;
}

Json dataset_json(const World& world, const WorldDataset& dataset, const std::string& name) {
  return {{"name", dataset.name},
          {"description", dataset.description},
          {"template", dataset.prompt},
          {"theme", dataset.theme.empty() ? Json() : Json(dataset.theme)},
          {"classes", dataset.classes.size()},
          {"images", images_json(world, name)}};
}

Json variant_json(const WorldVariant& variant) {
  Json json = {{"name", variant.name}, {"description", variant.description}};
  if (!variant.mirrors.empty()) json["mirrors"] = variant.mirrors;
  return json;
}

std::string variant_text(const WorldVariant& variant) {
  const std::string like =
      variant.mirrors.empty() ? "" : fmt::format(" (like {})", variant.mirrors);
  return variant.description + like;
}

Json world_json(const World& world) {
  Json datasets = Json::array(), variants = Json::array();
  for (const WorldDataset& dataset : world.datasets) {
    datasets.push_back(dataset_json(world, dataset, world.name + ":" + dataset.name));
  }
  for (const WorldVariant& variant : world.variants) variants.push_back(variant_json(variant));
  return {{"name", world.name},
          {"description", world.description},
          {"splits", world.splits},
          {"datasets", std::move(datasets)},
          {world.variant + "s", std::move(variants)}};
}

void print_world(const World& world) {
  print_out("{}: {}\n\n", world.name, world.description);
  print_out("  {:<14} classes  its template\n", "dataset");
  for (const WorldDataset& dataset : world.datasets) {
    print_out("  {:<14} {:>7}  {}\n", dataset.name, dataset.classes.size(), dataset.prompt);
  }
  print_out("\n  {:<14} description\n", world.variant);
  for (const WorldVariant& variant : world.variants) {
    print_out("  {:<14} {}\n", variant.name, variant_text(variant));
  }
  print_out("\n  images of {}:all:", world.name);
  const char* separator = " ";
  for (const auto& [split, count] : image_counts(world, world.name + ":all")) {
    print_out("{}{} {}", separator, count, split);
    separator = ", ";
  }
  print_out("\n\n");
}

Json downloads_json() {
  Json rows = Json::array();
  for (const Download& row : download_table()) {
    rows.push_back({{"name", row.name},
                    {"description", row.description},
                    {"template", row.prompt},
                    {"classes", row.classes.size()},
                    {"images", {{"train", row.train_images}, {"test", row.test_images}}},
                    {"installed", is_installed(row)}});
  }
  return rows;
}

void print_downloads() {
  print_out("downloads: worlds that `openworld data get NAME` installs\n\n");
  print_out("  {:<14} classes  installed  its template\n", "name");
  for (const Download& row : download_table()) {
    print_out("  {:<14} {:>7}  {:<9}  {}\n", row.name, row.classes.size(),
              is_installed(row) ? "yes" : "no", row.prompt);
  }
  print_out("\n");
}

// Words with commas between them, in lines of at most 80 characters.
std::string wrapped(const std::vector<std::string>& words) {
  constexpr std::size_t kColumns = 80;
  std::string text;
  std::size_t column = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = fmt::format("{}{}", words[i], i + 1 < words.size() ? "," : "");
    const bool fits = column + 1 + word.size() <= kColumns;
    if (column > 0) text += fits ? ' ' : '\n';
    column = (column > 0 && fits ? column + 1 : 0) + word.size();
    text += word;
  }
  return text;
}

class Worlds : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("show", show_, "`show` prints one dataset; without it all are listed")
        ->check(CLI::IsMember({"show"}));
    app.add_option(
        "DATASET", data_,
        "doodles:NAME, optionally with @LOOK and #SEED; icons:NAME, optionally with @STYLE; or a "
        "download: mnist, fashion-mnist, cifar10");
    app.add_option("--png", png_, "draw a contact sheet to this file");
    app.add_option("--split", split_, "split to draw: train or test; doodles also have pretrain")
        ->capture_default_str();
    app.add_option("--rows", sheet_.rows, "classes on the sheet")
        ->capture_default_str()
        ->check(CLI::Range(1, 345));
    app.add_option("--columns", sheet_.columns, "pictures of each class")
        ->capture_default_str()
        ->check(CLI::Range(1, 50));
    declare_json(app, json_);
  }

  void run() override {
    if (show_.empty()) {
      if (!png_.empty())
        fail(kFunction, "--png needs one dataset: openworld worlds show doodles:NAME");
      return list();
    }
    if (data_.empty()) fail(kFunction, "expected a dataset: openworld worlds show doodles:NAME");
    show();
  }

 private:
  void list() const {
    const RunClock clock;
    const std::vector<World> worlds = bundled_worlds();
    if (json_) {
      Json rows = Json::array();
      for (const World& world : worlds) rows.push_back(world_json(world));
      return print_json({{"schema", "openworld.worlds/3"},
                         {"worlds", std::move(rows)},
                         {"downloads", downloads_json()},
                         {"cost", run_cost_json(clock.cost())}});
    }
    if (wants_rows(false)) {
      Json rows = Json::array();
      for (const World& world : worlds) {
        for (const WorldDataset& dataset : world.datasets) {
          rows.push_back(
              dataset_json(world, dataset, fmt::format("{}:{}", world.name, dataset.name)));
        }
      }
      return print_rows("datasets", rows, false);
    }
    for (const World& world : worlds) print_world(world);
    print_downloads();
    print_out(
        "Give --data doodles:DATASET@LOOK or icons:DATASET@STYLE to commands that read images. To "
        "draw one:\n  openworld worlds show doodles:animals@chalk --png animals.png\n");
  }

  void show() const {
    const RunClock clock;
    const NamedDataset named = parse_world_dataset({kFunction, data_});
    require_split(split_, named.world.splits, {kFunction, data_});
    if (!png_.empty()) {
      if (!png_.ends_with(".png")) {
        Origin{kFunction, png_}.fail("expected a name that ends in .png");
      }
      const Image sheet = contact_sheet(open_dataset(named.text, {.split = split_}), sheet_);
      write_file_atomically(
          png_, make_png(sheet.width, sheet.height, sheet.rgb, PngCompression::kDeflated),
          kFunction);
    }
    json_ ? print_card_json(named, clock) : print_card(named);
  }

  void print_card_json(const NamedDataset& named, const RunClock& clock) const {
    Json json = {{"schema", "openworld.worlds/3"}, {"data", named.text}};
    json["world"] = named.world.name;
    json["dataset"] = dataset_json(named.world, named.dataset, named.text);
    if (!named.world.variant.empty()) {
      json[named.world.variant] = named.variant ? variant_json(*named.variant) : Json();
    }
    if (named.seed) json["seed"] = *named.seed;
    json["class_names"] = named.dataset.classes;
    if (!png_.empty()) json["png"] = png_;
    json["cost"] = run_cost_json(clock.cost());
    print_json(json);
  }

  void print_card(const NamedDataset& named) const {
    if (!png_.empty()) {
      print_out("wrote {}\n", png_);
      return;
    }
    print_out("{}: {}\n\n", named.text, named.dataset.description);
    print_out("{:<10} {}\n", "template", named.dataset.prompt);
    if (!named.world.variant.empty()) {
      print_out("{:<10} {}\n", named.world.variant,
                named.variant ? named.variant->name + ": " + variant_text(*named.variant) : "all");
    }
    if (named.seed) print_out("{:<10} {}\n", "seed", *named.seed);
    print_out("{:<10}", "images");
    const char* separator = " ";
    for (const auto& [split, count] : image_counts(named.world, named.text)) {
      print_out("{}{} {}", separator, count, split);
      separator = ", ";
    }
    print_out("\n{:<10} {}\n", "classes", named.dataset.classes.size());
    print_out("\n{}\n", wrapped(named.dataset.classes));
  }

  std::string show_;
  std::string data_;
  std::string png_;
  std::string split_ = "test";
  SheetOptions sheet_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_worlds() {
  return std::make_unique<Worlds>();
}

}  // namespace openworld
