#include "openworld/cli/eval_flags.h"

#include <CLI/CLI.hpp>
#include <limits>

#include "openworld/cli/flag_checks.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/print_table.h"

namespace openworld {

void declare_json(CLI::App& app, bool& json) {
  CLI::Option* flag = app.add_flag("--json", json, "print the result as one JSON object");
  std::vector<std::string> names;
  for (const TableFormat& format : table_formats()) names.emplace_back(format.name);
  names.emplace_back("json");
  const auto choose = [&json](const std::string& name) {
    OutputSettings settings = output_settings();
    json = name == "json";
    if (!json) settings.format = &find_table_format(name, "--format");
    set_output(settings);
  };
  app.add_option_function<std::string>(
         "--format", choose, "format of tables: text, md, latex (booktabs), csv or json [text]")
      ->check(CLI::IsMember(names))
      ->excludes(flag);
}

void declare_threads(CLI::App& app, int& threads) {
  app.add_option("--threads", threads,
                 "number of threads; 0: all cores; results do not depend on it")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
}

void declare_seed(CLI::App& app, std::uint64_t& seed, const char* help) {
  app.add_option("--seed", seed, help)->check(whole_number())->capture_default_str();
}

void declare_open(CLI::App& app, std::string& open) {
  app.add_option("--open", open,
                 "which samples to compare with base: new, unknown, or auto (by metric)")
      ->check(CLI::IsMember({"auto", "new", "unknown"}))
      ->capture_default_str();
}

std::optional<Side> parse_open(const std::string& open) {
  if (open == "new") return Side::kNew;
  if (open == "unknown") return Side::kUnknown;
  return std::nullopt;
}

void EvalFlags::declare(CLI::App& app) {
  metrics_flag_ =
      app.add_option("--metrics", metrics_,
                     "comma-separated names; `standard` for the usual set, `all` for every one "
                     "(`openworld ls metrics`); a number in a name is a percent: fpr_at_90tpr")
          ->capture_default_str();
  app.add_option("--ties", ties_,
                 "how equal scores count: strict (as the papers define), half (as their code "
                 "reports), definition (each metric's own)")
      ->check(CLI::IsMember({"strict", "half", "definition"}))
      ->capture_default_str();
  declare_open(app, open_);
  app.add_option(
         "--ci", ci_,
         "intervals: delong (closed forms from the one sort), bootstrap (every metric), none")
      ->check(CLI::IsMember({"delong", "bootstrap", "none"}))
      ->capture_default_str();
  app.add_option("--bootstrap", bootstrap_, "kind of bootstrap interval")
      ->check(CLI::IsMember({"bca", "percentile"}))
      ->capture_default_str();
  app.add_option("--level", numbers_.level, "confidence level of the intervals")
      ->check(between_0_and_1())
      ->capture_default_str();
  app.add_option("--resamples", numbers_.resamples, "bootstrap resamples")
      ->check(CLI::Range(2, std::numeric_limits<int>::max()))
      ->capture_default_str();
  declare_seed(app, numbers_.seed, "seed of the bootstrap");
  app.add_option("--threshold", threshold_,
                 "operating point of the open-set counts (default: the best one)")
      ->check(ordered_number());
  app.add_flag("--grid", grid_,
               "open-set F-scores over the papers' thresholds 0.01 to 0.99 instead of every score");
  declare_threads(app, numbers_.threads);
}

std::vector<MetricRequest> EvalFlags::requests(const std::string& names) const {
  return find_metrics(metrics_flag_->count() > 0 ? metrics_ : names);
}

EvalOptions EvalFlags::options() const {
  EvalOptions options;
  if (ties_ != "definition") options.ties = ties_ == "half" ? Ties::kHalf : Ties::kStrict;
  options.open = parse_open(open_);
  options.threshold = threshold_;
  options.grid = grid_;
  options.ci = ci_ == "none" ? Ci::kNone : ci_ == "delong" ? Ci::kDelong : Ci::kBootstrap;
  options.bootstrap = numbers_;
  options.bootstrap.kind = bootstrap_ == "bca" ? BootstrapKind::kBca : BootstrapKind::kPercentile;
  return options;
}

}  // namespace openworld
