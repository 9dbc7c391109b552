// openworld drc: dynamic-robustness metrics of accuracy curves.

#include "openworld/analysis/drc_comparison.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/nearest_name.h"
#include "openworld/base/version.h"
#include "openworld/cli/command.h"
#include "openworld/cli/drc_runs.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/flag_checks.h"
#include "openworld/cli/long_table.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/print_table.h"
#include "openworld/io/run_cost.h"
#include "openworld/report/text_table.h"
#include "openworld/runs/run_folder.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

class Drc : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("CURVES", inputs_,
                   "CSV with columns method,world,t,acc and optionally seed; or run folders of "
                   "`openworld tune --scenario`")
        ->required();
    app.add_option("--zero-shot", zero_shot_, "the reference method, usually zero-shot")
        ->required();
    app.add_option("--alpha", alpha_, "level of the Nemenyi test")
        ->check(between_0_and_1())
        ->capture_default_str();
    app.add_option("--density", density_text_,
                   "density of t for EA, as points t:weight that are joined by lines, such as "
                   "0:2,1:0; it is 0 outside them and need not integrate to 1")
        ->delimiter(',');
    declare_json(app, json_);
  }

  void run() override {
    const RunClock clock;
    read_density();
    const CsvTable csv = read_curves();
    const LongTable table = read_long_table(csv, "method", {"world", "t"}, "acc", "seed");
    const auto reference = std::find(table.methods.begin(), table.methods.end(), zero_shot_);
    if (reference == table.methods.end()) {
      csv.origin().fail(fmt::format("no method {} for --zero-shot; {}", in_quotes(zero_shot_),
                                    known_names(zero_shot_, table.methods)));
    }
    const auto zero = static_cast<std::size_t>(reference - table.methods.begin());
    const std::vector<DrcWorld> worlds = read_worlds(csv, table);
    const DrcComparison comparison = compare(csv, worlds, zero);
    const NemenyiTest nemenyi =
        nemenyi_test(comparison.ranks->average_ranks, comparison.ranks->blocks, alpha_);
    if (json_) return print_json(table, worlds, comparison, nemenyi, clock);
    print_text(table, worlds, comparison, nemenyi);
  }

 private:
  void read_density() {
    if (density_text_.empty()) return;
    density_.emplace();
    for (const std::string& point : density_text_) {
      double level = 0, weight = 0;
      const char* end = point.data() + point.size();
      const auto [colon, bad_level] = std::from_chars(point.data(), end, level);
      const bool has_colon = bad_level == std::errc() && colon != end && *colon == ':';
      if (!has_colon) refuse_density(point);
      const auto [last, bad_weight] = std::from_chars(colon + 1, end, weight);
      if (bad_weight != std::errc() || last != end) refuse_density(point);
      density_->levels.push_back(level);
      density_->weights.push_back(weight);
    }
  }

  [[noreturn]] static void refuse_density(const std::string& point) {
    fail("drc", fmt::format("--density: got '{}'; expected t:weight, such as 0.5:1", point));
  }

  CsvTable read_curves() const {
    const std::vector<std::string> paths = expand_run_folders(inputs_);
    if (RunFolder(paths[0]).is_run()) return curves_of_runs(paths);
    if (paths.size() > 1) {
      fail("drc", fmt::format("got {} inputs, of which {} is not a run folder; expected one CSV "
                              "file, or run folders",
                              paths.size(), paths[0]));
    }
    return read_csv({.function = "drc", .file = paths[0]});
  }

  static std::vector<DrcWorld> read_worlds(const CsvTable& csv, const LongTable& table) {
    const std::size_t world_at = csv.column("world"), t_at = csv.column("t");
    std::vector<std::string> names;
    std::map<std::string, std::map<double, std::size_t>> settings;  // world -> level -> setting
    std::map<std::string, std::size_t> by_name;
    for (std::size_t s = 0; s < table.settings.size(); ++s) by_name[table.settings[s]] = s;
    for (std::size_t row = 0; row < csv.rows(); ++row) {
      const std::string world(csv.cell(row, world_at));
      if (!settings.contains(world)) names.push_back(world);
      const std::size_t task = by_name.at(fmt::format("{} / {}", world, csv.cell(row, t_at)));
      const auto [it, added] = settings[world].emplace(csv.number(row, t_at), task);
      if (!added && it->second != task) {
        csv.fail_cell(row, t_at, "each level of a world written in one way only");
      }
    }
    std::vector<DrcWorld> worlds;
    for (const std::string& name : names) {
      DrcWorld world{name, {}, std::vector<std::vector<double>>(table.methods.size())};
      for (const auto& [level, task] : settings[name]) {
        world.levels.push_back(level);
        for (std::size_t m = 0; m < table.methods.size(); ++m) {
          world.accuracies[m].push_back(table.at(task, m));
        }
      }
      worlds.push_back(std::move(world));
    }
    return worlds;
  }

  DrcComparison compare(const CsvTable& csv, const std::vector<DrcWorld>& worlds,
                        std::size_t zero) const {
    if (worlds.empty() || worlds[0].accuracies.size() < 2) {
      csv.origin().fail("has one method; expected at least two to compare");
    }
    try {
      return compare_drc(worlds, zero, density_);
    } catch (const Error& error) {
      csv.origin().fail(error.message());
    }
  }

  static Json metrics_json(const DrcValues& w) {
    return {{"acc0", w.metrics.acc0 ? Json(*w.metrics.acc0) : Json()},
            {"auc", w.metrics.auc},
            {"wa", w.metrics.wa},
            {"evm", w.metrics.evm},
            {"vs", w.metrics.vs},
            {"pa", w.areas->positive},
            {"na", w.areas->negative},
            {"rcc", w.metrics.rcc ? Json(*w.metrics.rcc) : Json()},
            {"ea", w.expected ? Json(*w.expected) : Json()}};
  }

  Json density_json() const {
    if (!density_) return {};
    return {{"levels", density_->levels}, {"weights", density_->weights}};
  }

  void print_json(const LongTable& table, const std::vector<DrcWorld>& worlds,
                  const DrcComparison& comparison, const NemenyiTest& nemenyi,
                  const RunClock& clock) const {
    Json list = Json::array();
    for (std::size_t m = 0; m < comparison.methods.size(); ++m) {
      const DrcMethod& method = comparison.methods[m];
      Json by_world = Json::object();
      for (std::size_t w = 0; w < worlds.size(); ++w) {
        // Names are there once: looking for each among all before it takes minutes for 100,000.
        by_world.get_ref<Json::object_t&>().emplace_back(worlds[w].name,
                                                         metrics_json(method.worlds[w]));
      }
      list.push_back({{"method", table.methods[m]},
                      {"delta_auc", *method.delta_auc},
                      {"delta_pn", *method.delta_pn},
                      {"friedman_rank", comparison.ranks->average_ranks[m]},
                      {"final_rank", comparison.ranks->final_ranks[m]},
                      {"worlds", std::move(by_world)}});
    }
    const Json json = {{"schema", "openworld.drc/2"},
                       {"version", OPENWORLD_VERSION},
                       {"source", inputs_.size() == 1 ? Json(inputs_[0]) : Json(inputs_)},
                       {"zero_shot", zero_shot_},
                       {"density", density_json()},
                       {"critical_distance", nemenyi.critical_distance},
                       {"alpha", alpha_},
                       {"blocks", comparison.ranks->blocks},
                       {"methods", std::move(list)},
                       {"cost", run_cost_json(clock.cost())}};
    openworld::print_json(json);
  }

  void print_text(const LongTable& table, const std::vector<DrcWorld>& worlds,
                  const DrcComparison& comparison, const NemenyiTest& nemenyi) const {
    print_out("{} methods in {} worlds against {}; means over worlds\n\n",
              comparison.methods.size(), worlds.size(), zero_shot_);
    TextTable text({"", "Acc(0)", "AUC", "EA", "WA", "EVM", "VS", "RCC", "PA", "NA", "delta_AUC",
                    "delta_PN", "Friedman rank", "final rank"});
    const auto number = [](std::optional<double> value) {
      return value ? fmt::format("{:.4f}", *value) : "-";
    };
    for (std::size_t m = 0; m < comparison.methods.size(); ++m) {
      const DrcMethod& method = comparison.methods[m];
      const DrcMetrics& mean = method.mean.metrics;
      text.add({table.methods[m], number(mean.acc0), number(mean.auc), number(method.mean.expected),
                number(mean.wa), number(mean.evm), number(mean.vs), number(mean.rcc),
                number(method.mean.areas->positive), number(method.mean.areas->negative),
                fmt::format("{:+.4f}", *method.delta_auc), fmt::format("{:+.4f}", *method.delta_pn),
                fmt::format("{:.3f}", comparison.ranks->average_ranks[m]),
                fmt::format("{:g}", comparison.ranks->final_ranks[m])});
    }
    print_table(text);
    print_out(
        "\nranks over {} world-level blocks; average ranks that differ by {:.3f} or more "
        "differ at {:g} % (Nemenyi)\n",
        comparison.ranks->blocks, nemenyi.critical_distance, alpha_ * 100);
  }

  std::vector<std::string> inputs_;
  std::string zero_shot_;
  double alpha_ = 0.05;
  std::vector<std::string> density_text_;
  std::optional<LevelDensity> density_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_drc() {
  return std::make_unique<Drc>();
}

}  // namespace openworld
