// openworld rank: rank methods over many results.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "openworld/analysis/friedman.h"
#include "openworld/base/version.h"
#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/flag_checks.h"
#include "openworld/cli/long_table.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/print_table.h"
#include "openworld/io/run_cost.h"
#include "openworld/report/text_table.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

class Rank : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("RESULTS", file_,
                   "CSV, one row per result: a method column, a value column, optionally a seed "
                   "column (averaged), and any others, which together name the setting")
        ->required();
    app.add_option("--method", method_, "the method column")->capture_default_str();
    app.add_option("--value", value_, "the value column")->capture_default_str();
    app.add_option("--seed-column", seed_, "the seed column")->capture_default_str();
    app.add_option("--settings", settings_,
                   "comma-separated columns that name the setting (default: all the others)")
        ->delimiter(',');
    app.add_flag("--lower-is-better", lower_, "rank small values first");
    app.add_option("--alpha", alpha_, "level of the Nemenyi test")
        ->check(between_0_and_1())
        ->capture_default_str();
    declare_json(app, json_);
  }

  void run() override {
    const RunClock clock;
    const CsvTable csv = read_csv({.function = "rank", .file = file_});
    if (settings_.empty()) {
      for (const std::string& column : csv.columns()) {
        if (column != method_ && column != value_ && column != seed_) settings_.push_back(column);
      }
    }
    const LongTable table = read_long_table(csv, method_, settings_, value_, seed_);
    const FriedmanTest friedman = friedman_test(table.values, table.methods.size(),
                                                lower_ ? Better::kLower : Better::kHigher);
    const NemenyiTest nemenyi = nemenyi_test(friedman.average_ranks, friedman.blocks, alpha_);
    if (json_) return print_json(table, friedman, nemenyi, clock);
    print_text(table, friedman, nemenyi);
  }

 private:
  static double mean_value(const LongTable& table, std::size_t method) {
    double sum = 0;
    for (std::size_t s = 0; s < table.settings.size(); ++s) sum += table.at(s, method);
    return sum / static_cast<double>(table.settings.size());
  }

  // JSON has no infinity, which F is when every setting ranks alike.
  static Json number(const std::optional<double>& value) {
    if (!value) return nullptr;
    return std::isfinite(*value) ? Json(*value) : Json("inf");
  }

  void print_json(const LongTable& table, const FriedmanTest& friedman, const NemenyiTest& nemenyi,
                  const RunClock& clock) const {
    Json methods = Json::array(), groups = Json::array(), p_values = Json::array();
    const std::size_t k = table.methods.size();
    for (std::size_t m = 0; m < k; ++m) {
      methods.push_back({{"method", table.methods[m]},
                         {"mean_value", mean_value(table, m)},
                         {"average_rank", friedman.average_ranks[m]},
                         {"final_rank", friedman.final_ranks[m]}});
      p_values.push_back(std::vector<double>(nemenyi.p_values.begin() + m * k,
                                             nemenyi.p_values.begin() + (m + 1) * k));
    }
    for (const auto& group : nemenyi.groups) {
      Json names = Json::array();
      for (const std::size_t m : group) names.push_back(table.methods[m]);
      groups.push_back(std::move(names));
    }
    Json test = {{"chi_squared", number(friedman.chi_squared)},
                 {"p_value", number(friedman.p_value)},
                 {"f", number(friedman.f)},
                 {"f_p_value", number(friedman.f_p_value)}};
    if (!friedman.undefined.empty()) test["why"] = friedman.undefined;
    const Json json = {{"schema", "openworld.rank/2"},
                       {"version", OPENWORLD_VERSION},
                       {"source", file_},
                       {"blocks", friedman.blocks},
                       {"higher_is_better", !lower_},
                       {"methods", std::move(methods)},
                       {"friedman", std::move(test)},
                       {"nemenyi",
                        {{"alpha", alpha_},
                         {"critical_distance", nemenyi.critical_distance},
                         {"p_values", std::move(p_values)},
                         {"not_different", std::move(groups)}}},
                       {"cost", run_cost_json(clock.cost())}};
    openworld::print_json(json);
  }

  void print_text(const LongTable& table, const FriedmanTest& friedman,
                  const NemenyiTest& nemenyi) const {
    std::vector<std::size_t> order(table.methods.size());
    for (std::size_t m = 0; m < order.size(); ++m) order[m] = m;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return friedman.average_ranks[a] < friedman.average_ranks[b];
    });
    TextTable text({"method", "mean " + value_, "average rank", "final rank"});
    for (const std::size_t m : order) {
      text.add({table.methods[m], fmt::format("{:.4f}", mean_value(table, m)),
                fmt::format("{:.3f}", friedman.average_ranks[m]),
                fmt::format("{:g}", friedman.final_ranks[m])});
    }
    print_table(text);
    print_out("\n");
    if (friedman.chi_squared) {
      print_out(
          "Friedman over {} settings: chi2 = {:.3f}, p = {:.3g}; Iman-Davenport F = {:.3f}, "
          "p = {:.3g}\n",
          friedman.blocks, *friedman.chi_squared, *friedman.p_value, *friedman.f,
          *friedman.f_p_value);
    } else {
      print_out("no Friedman test: {}\n", friedman.undefined);
    }
    print_out("Nemenyi at {:g} %: average ranks that differ by {:.3f} or more differ\n",
              alpha_ * 100, nemenyi.critical_distance);
    for (const auto& group : nemenyi.groups) {
      print_out("  no significant difference:");
      for (const std::size_t m : group) print_out(" {}", table.methods[m]);
      print_out("\n");
    }
  }

  std::string file_;
  std::string method_ = "method";
  std::string value_ = "value";
  std::string seed_ = "seed";
  std::vector<std::string> settings_;
  double alpha_ = 0.05;
  bool lower_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_rank() {
  return std::make_unique<Rank>();
}

}  // namespace openworld
