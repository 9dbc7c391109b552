// openworld sensitivity: how metrics move with the ratio of new to base samples.

#include "openworld/analysis/sensitivity.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/version.h"
#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/flag_checks.h"
#include "openworld/cli/predictions_files.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/print_table.h"
#include "openworld/io/run_cost.h"
#include "openworld/report/text_table.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

Json value_json(const MetricValue& v) {
  if (v.defined()) return {{"value", v.value}};
  return {{"value", nullptr}, {"why", v.why}};
}

class SensitivityCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("FILE", file_, kPredictionsHelp)->required();
    app.add_option("--ratios", ratios_, "new samples per base sample (default: the papers' ten)")
        ->delimiter(',');
    app.add_flag(
        "--relative", options_.relative,
        "ratios are multiples of the natural ratio, as in the papers' tables; every class is "
        "thinned by the same share, if the file has labels");
    app.add_option("--repeats", options_.repeats, "thinned test sets per ratio, averaged")
        ->capture_default_str();
    declare_seed(app, options_.seed, "seed of the thinning");
    app.add_option("--threshold", options_.metric.threshold,
                   "score above which a sample is base, for OverallAcc of a file without "
                   "overall_correct or logits")
        ->check(ordered_number());
    declare_json(app, json_);
  }

  void run() override {
    const RunClock clock;
    const Predictions predictions = load_argument(file_, "sensitivity");
    const RankedScores ranked(predictions.outcomes(), RankedScores::Keep::kOrder);
    if (!ratios_.empty()) options_.ratios = ratios_;
    const Sensitivity result = measure(ranked);
    std::vector<MetricValue> closed;
    const Ranking whole(ranked);
    const double natural = static_cast<double>(whole.totals().new_samples()) /
                           static_cast<double>(whole.totals().base());
    for (const SensitivityRow& row : result.rows) {
      const double rho = options_.relative ? row.ratio * natural : row.ratio;
      closed.push_back(overall_at_ratio(whole, rho, options_.metric));
    }
    if (json_) return print_json(result, closed, clock);
    print_text(result, closed);
  }

 private:
  Sensitivity measure(const RankedScores& ranked) const {
    try {
      return ratio_sensitivity(ranked, options_);
    } catch (const Error& e) {
      fail(e.function(), fmt::format("{} ({})", e.message(), file_));
    }
  }

  static Json values_json(const SensitivityValues& values) {
    Json json = Json::object();
    for (std::size_t m = 0; m < values.size(); ++m) {
      json[std::string(kSensitivityMetrics[m]->info.name)] = value_json(values[m]);
    }
    return json;
  }

  void print_json(const Sensitivity& result, const std::vector<MetricValue>& closed,
                  const RunClock& clock) const {
    Json rows = Json::array();
    for (std::size_t i = 0; i < result.rows.size(); ++i) {
      const SensitivityRow& row = result.rows[i];
      rows.push_back({{"ratio", row.ratio},
                      {"counts", {{"base", row.base}, {"new", row.new_side}}},
                      {"metrics", values_json(row.values)},
                      {"overall_acc_closed_form", value_json(closed[i])}});
    }
    const Json json = {{"schema", "openworld.sensitivity/2"},
                       {"version", OPENWORLD_VERSION},
                       {"source", file_},
                       {"relative", options_.relative},
                       {"repeats", options_.repeats},
                       {"seed", options_.seed},
                       {"rows", std::move(rows)},
                       {"mean", values_json(result.mean)},
                       {"variance", values_json(result.variance)},
                       {"cost", run_cost_json(clock.cost())}};
    openworld::print_json(json);
  }

  static void print_text(const Sensitivity& result, const std::vector<MetricValue>& closed) {
    std::vector<std::string> header = {"new/base", "base", "new"};
    for (const MetricRow* row : kSensitivityMetrics) header.emplace_back(row->info.title);
    header.emplace_back("OverallAcc, exact");
    TextTable table(header);
    const auto cell = [](const MetricValue& v, double scale) {
      return v.defined() ? fmt::format("{:.2f}", v.value * scale) : "-";
    };
    for (std::size_t i = 0; i < result.rows.size(); ++i) {
      const SensitivityRow& row = result.rows[i];
      std::vector<std::string> cells = {fmt::format("{:g}", row.ratio), std::to_string(row.base),
                                        std::to_string(row.new_side)};
      for (const MetricValue& v : row.values) cells.push_back(cell(v, 100));
      cells.push_back(cell(closed[i], 100));
      table.add(std::move(cells));
    }
    const auto add = [&](const char* name, const SensitivityValues& values, double scale) {
      std::vector<std::string> cells = {name, "", ""};
      for (const MetricValue& v : values) cells.push_back(cell(v, scale));
      cells.emplace_back("");
      table.add(std::move(cells));
    };
    add("mean", result.mean, 100);
    add("variance", result.variance, 1e4);
    print_table(table);
    print_out(
        "\nin percent; the variance in squared points. OverallAcc moves with the ratio "
        "for any model; the others only by the noise of thinning.\n");
    for (std::size_t m = 0; m < kSensitivityMetrics.size(); ++m) {
      const MetricValue& v = result.rows[0].values[m];
      if (!v.defined()) print_out("- {}: {}\n", kSensitivityMetrics[m]->info.title, v.why);
    }
  }

  std::string file_;
  std::vector<double> ratios_;
  SensitivityOptions options_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_sensitivity() {
  return std::make_unique<SensitivityCommand>();
}

}  // namespace openworld
