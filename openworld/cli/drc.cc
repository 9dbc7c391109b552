// openworld drc: dynamic-robustness metrics of accuracy curves.

#include "openworld/analysis/drc.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "openworld/analysis/friedman.h"
#include "openworld/base/error.h"
#include "openworld/base/version.h"
#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/flag_checks.h"
#include "openworld/cli/long_table.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/io/run_cost.h"
#include "openworld/report/text_table.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

// One world: its levels, and per method the accuracies (means over seeds, as the paper does).
struct World {
  std::string name;
  std::vector<double> levels;
  std::vector<std::vector<double>> accuracies;  // [method][level]
};

struct WorldMetrics {
  DrcMetrics metrics;
  DrcAreas areas;
};

struct MethodSummary {
  std::vector<WorldMetrics> worlds;
  double delta_auc = 0;
  double delta_pn = 0;
};

double mean_of(const std::vector<WorldMetrics>& worlds, double (*field)(const WorldMetrics&)) {
  double sum = 0;
  for (const WorldMetrics& w : worlds) sum += field(w);
  return sum / static_cast<double>(worlds.size());
}

class Drc : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("CURVES", file_, "CSV with columns method,world,t,acc and optionally seed")
        ->required();
    app.add_option("--zero-shot", zero_shot_, "the reference method, usually zero-shot")
        ->required();
    app.add_option("--alpha", alpha_, "level of the Nemenyi test")
        ->check(between_0_and_1())
        ->capture_default_str();
    declare_json(app, json_);
  }

  void run() override {
    const RunClock clock;
    const CsvTable csv = read_csv({.function = "drc", .file = file_});
    const LongTable table = read_long_table(csv, "method", {"world", "t"}, "acc", "seed");
    const auto reference = std::find(table.methods.begin(), table.methods.end(), zero_shot_);
    if (reference == table.methods.end()) {
      csv.origin().fail(fmt::format("no method {}; --zero-shot takes one of {}",
                                    in_quotes(zero_shot_), fmt::join(table.methods, ", ")));
    }
    const auto zero = static_cast<std::size_t>(reference - table.methods.begin());
    const std::vector<World> worlds = read_worlds(csv, table);
    std::vector<MethodSummary> methods;
    for (std::size_t m = 0; m < table.methods.size(); ++m) {
      methods.push_back(summarise(csv, worlds, m, zero));
    }
    const FriedmanTest friedman =
        friedman_test(table.values, table.methods.size(), Better::kHigher);
    const NemenyiTest nemenyi = nemenyi_test(friedman.average_ranks, friedman.blocks, alpha_);
    if (json_) return print_json(table, worlds, methods, friedman, nemenyi, clock);
    print_text(table, worlds, methods, friedman, nemenyi);
  }

 private:
  static std::vector<World> read_worlds(const CsvTable& csv, const LongTable& table) {
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
    std::vector<World> worlds;
    for (const std::string& name : names) {
      World world{name, {}, std::vector<std::vector<double>>(table.methods.size())};
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

  static MethodSummary summarise(const CsvTable& csv, const std::vector<World>& worlds,
                                 std::size_t method, std::size_t zero) {
    MethodSummary summary;
    std::vector<double> auc, zero_auc;
    std::vector<DrcAreas> areas;
    for (const World& world : worlds) {
      try {
        summary.worlds.push_back(
            {drc_metrics(world.levels, world.accuracies[method]),
             drc_areas(world.levels, world.accuracies[method], world.accuracies[zero])});
        zero_auc.push_back(drc_metrics(world.levels, world.accuracies[zero]).auc);
      } catch (const Error& e) {
        csv.origin().fail(fmt::format("world {}: {}", in_quotes(world.name), e.what()));
      }
      auc.push_back(summary.worlds.back().metrics.auc);
      areas.push_back(summary.worlds.back().areas);
    }
    summary.delta_auc = openworld::delta_auc(auc, zero_auc);
    summary.delta_pn = openworld::delta_pn(areas);
    return summary;
  }

  static Json metrics_json(const WorldMetrics& w) {
    return {{"acc0", w.metrics.acc0 ? Json(*w.metrics.acc0) : Json()},
            {"auc", w.metrics.auc},
            {"wa", w.metrics.wa},
            {"evm", w.metrics.evm},
            {"vs", w.metrics.vs},
            {"pa", w.areas.positive},
            {"na", w.areas.negative}};
  }

  void print_json(const LongTable& table, const std::vector<World>& worlds,
                  const std::vector<MethodSummary>& methods, const FriedmanTest& friedman,
                  const NemenyiTest& nemenyi, const RunClock& clock) const {
    Json list = Json::array();
    for (std::size_t m = 0; m < methods.size(); ++m) {
      Json by_world = Json::object();
      for (std::size_t w = 0; w < worlds.size(); ++w) {
        by_world[worlds[w].name] = metrics_json(methods[m].worlds[w]);
      }
      list.push_back({{"method", table.methods[m]},
                      {"delta_auc", methods[m].delta_auc},
                      {"delta_pn", methods[m].delta_pn},
                      {"friedman_rank", friedman.average_ranks[m]},
                      {"final_rank", friedman.final_ranks[m]},
                      {"worlds", std::move(by_world)}});
    }
    const Json json = {{"schema", "openworld.drc/2"},
                       {"version", OPENWORLD_VERSION},
                       {"source", file_},
                       {"zero_shot", zero_shot_},
                       {"critical_distance", nemenyi.critical_distance},
                       {"alpha", alpha_},
                       {"blocks", friedman.blocks},
                       {"methods", std::move(list)},
                       {"cost", run_cost_json(clock.cost())}};
    openworld::print_json(json);
  }

  void print_text(const LongTable& table, const std::vector<World>& worlds,
                  const std::vector<MethodSummary>& methods, const FriedmanTest& friedman,
                  const NemenyiTest& nemenyi) const {
    print_out("{} methods in {} worlds against {}; means over worlds\n\n", methods.size(),
              worlds.size(), zero_shot_);
    TextTable text({"", "Acc(0)", "AUC", "WA", "EVM", "VS", "PA", "NA", "delta_AUC", "delta_PN",
                    "Friedman rank", "final rank"});
    for (std::size_t m = 0; m < methods.size(); ++m) {
      const auto& w = methods[m].worlds;
      const auto mean = [&](double (*field)(const WorldMetrics&)) {
        return fmt::format("{:.4f}", mean_of(w, field));
      };
      const bool from_zero =
          std::all_of(w.begin(), w.end(), [](const auto& x) { return x.metrics.acc0.has_value(); });
      text.add({table.methods[m],
                from_zero ? mean([](const WorldMetrics& x) { return *x.metrics.acc0; }) : "-",
                mean([](const WorldMetrics& x) { return x.metrics.auc; }),
                mean([](const WorldMetrics& x) { return x.metrics.wa; }),
                mean([](const WorldMetrics& x) { return x.metrics.evm; }),
                mean([](const WorldMetrics& x) { return x.metrics.vs; }),
                mean([](const WorldMetrics& x) { return x.areas.positive; }),
                mean([](const WorldMetrics& x) { return x.areas.negative; }),
                fmt::format("{:+.4f}", methods[m].delta_auc),
                fmt::format("{:+.4f}", methods[m].delta_pn),
                fmt::format("{:.3f}", friedman.average_ranks[m]),
                fmt::format("{:g}", friedman.final_ranks[m])});
    }
    print_out(
        "{}\nranks over {} world-level blocks; average ranks that differ by {:.3f} or more "
        "differ at {:g} % (Nemenyi)\n",
        text.text(), friedman.blocks, nemenyi.critical_distance, alpha_ * 100);
  }

  std::string file_;
  std::string zero_shot_;
  double alpha_ = 0.05;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_drc() {
  return std::make_unique<Drc>();
}

}  // namespace openworld
