// openworld worlds: lists the bundled worlds and draws pictures of them.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "openworld/base/error.h"
#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/io/atomic_file.h"
#include "openworld/io/png_writer.h"
#include "openworld/io/run_cost.h"
#include "openworld/worlds/contact_sheet.h"
#include "openworld/worlds/folders.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kFunction = "worlds";
constexpr auto kBrief = "345 classes of 20-second drawings, from Google's Quick, Draw!";

Json images_json(const DoodleDataset& dataset) {
  Json json;
  for (const DoodleSplit& split : kDoodleSplits) {
    json[std::string(split.name)] =
        dataset.classes.size() * static_cast<std::size_t>(split.end - split.begin);
  }
  return json;
}

Json dataset_json(const DoodleDataset& dataset) {
  return {{"name", dataset.name},
          {"description", dataset.description},
          {"template", dataset.prompt},
          {"theme", dataset.theme.empty() ? Json() : Json(dataset.theme)},
          {"classes", dataset.classes.size()},
          {"images", images_json(dataset)}};
}

Json look_json(const LookRow& look) {
  return {{"name", look.name}, {"description", look.description}, {"mirrors", look.mirrors}};
}

// Words with commas between them, in lines of at most 80 characters.
std::string wrapped(std::span<const std::string_view> words) {
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
    app.add_option("DATASET", data_, "doodles:NAME, optionally with @LOOK and #SEED");
    app.add_option("--png", png_, "draw a contact sheet to this file");
    app.add_option("--split", split_, "split to draw: pretrain, train or test")
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
    if (json_) {
      Json datasets = Json::array(), look_rows = Json::array(), splits = Json::array();
      for (const DoodleDataset& dataset : doodle_datasets()) {
        datasets.push_back(dataset_json(dataset));
      }
      for (const LookRow& look : looks()) look_rows.push_back(look_json(look));
      for (const DoodleSplit& split : kDoodleSplits) {
        splits.push_back({{"name", split.name}, {"images_per_class", split.end - split.begin}});
      }
      const Json world = {{"name", "doodles"},
                          {"description", kBrief},
                          {"splits", std::move(splits)},
                          {"datasets", std::move(datasets)},
                          {"looks", std::move(look_rows)}};
      return print_json({{"schema", "openworld.worlds/2"},
                         {"worlds", Json::array({world})},
                         {"cost", run_cost_json(clock.cost())}});
    }
    print_out("doodles: {}\n\n", kBrief);
    print_out("  {:<14} classes  its template\n", "dataset");
    for (const DoodleDataset& dataset : doodle_datasets()) {
      print_out("  {:<14} {:>7}  {}\n", dataset.name, dataset.classes.size(), dataset.prompt);
    }
    print_out("\n  {:<14} description\n", "look");
    for (const LookRow& look : looks()) {
      print_out("  {:<14} {} (like {})\n", look.name, look.description, look.mirrors);
    }
    print_out("\nOf the drawings of a class");
    for (const DoodleSplit& split : kDoodleSplits) {
      print_out("{} {} are in {}", split.begin == 0 ? "" : ",", split.end - split.begin,
                split.name);
    }
    print_out(
        ".\n\nGive --data doodles:DATASET@LOOK to zeroshot and encode. To draw one:\n"
        "  openworld worlds show doodles:animals@chalk --png animals.png\n");
  }

  void show() const {
    const RunClock clock;
    const Origin origin{kFunction, data_};
    const DoodleSpec spec = parse_doodle_spec(origin);
    const auto* split = std::ranges::find(kDoodleSplits, split_, &DoodleSplit::name);
    if (split == kDoodleSplits.end()) {
      require_split(split_, {"pretrain", "train", "test"}, origin);
    }
    if (!png_.empty()) {
      if (!png_.ends_with(".png")) {
        Origin{kFunction, png_}.fail("expected a name that ends in .png");
      }
      const Image sheet = contact_sheet(Doodles::get(), spec, *split, sheet_);
      write_file_atomically(
          png_, make_png(sheet.width, sheet.height, sheet.rgb, PngCompression::kDeflated),
          kFunction);
    }
    json_ ? print_card_json(spec, clock) : print_card(spec);
  }

  void print_card_json(const DoodleSpec& spec, const RunClock& clock) const {
    Json json = {{"schema", "openworld.worlds/2"}, {"data", spec.text()}, {"world", "doodles"}};
    json["dataset"] = dataset_json(*spec.dataset);
    json["look"] = look_json(*spec.look);
    json["seed"] = spec.seed;
    json["class_names"] = spec.dataset->classes;
    if (!png_.empty()) json["png"] = png_;
    json["cost"] = run_cost_json(clock.cost());
    print_json(json);
  }

  void print_card(const DoodleSpec& spec) const {
    if (!png_.empty()) {
      print_out("wrote {}\n", png_);
      return;
    }
    const DoodleDataset& dataset = *spec.dataset;
    print_out("{}: {}\n\n", spec.text(), dataset.description);
    print_out("{:<10} {}\n", "template", dataset.prompt);
    print_out("{:<10} {}: {} (like {})\n", "look", spec.look->name, spec.look->description,
              spec.look->mirrors);
    print_out("{:<10} {}\n", "seed", spec.seed);
    print_out("{:<10}", "images");
    const Json images = images_json(dataset);
    for (const auto& [split, count] : images.items()) {
      print_out("{} {} {}", split == "pretrain" ? "" : ",", count.get<std::size_t>(), split);
    }
    print_out("\n{:<10} {}\n", "classes", dataset.classes.size());
    print_out("\n{}\n", wrapped(dataset.classes));
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
