// openworld compare: test models against the first one, on the same samples.

#include "openworld/analysis/compare.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/progress.h"
#include "openworld/base/version.h"
#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/predictions_files.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/print_table.h"
#include "openworld/io/run_cost.h"
#include "openworld/metrics/result_notes.h"
#include "openworld/report/text_table.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

// Shares in percent, counts as they are.
std::string value_text(const ComparedMetric& m, double value) {
  return m.request.row->info.is_count ? fmt::format("{:.0f}", value) : percent(value);
}

std::string difference_text(const ComparedMetric& m, double value) {
  return m.request.row->info.is_count ? fmt::format("{:+.0f}", value)
                                      : fmt::format("{:+.2f}", value * 100);
}

std::string interval_text(const ComparedMetric& m) {
  if (!m.interval) return "";
  return fmt::format("[{}, {}]", difference_text(m, m.interval->low),
                     difference_text(m, m.interval->high));
}

// One model against the first, with p-values adjusted over all models, metric by metric.
struct Row {
  std::vector<ComparedMetric> metrics;
  std::vector<std::optional<double>> adjusted;
};

void adjust(std::vector<Row>& rows) {
  for (std::size_t m = 0; m < rows[0].metrics.size(); ++m) {
    std::vector<double> p_values;
    for (const Row& row : rows) {
      if (row.metrics[m].p_value) p_values.push_back(*row.metrics[m].p_value);
    }
    const auto adjusted = holm_adjust(p_values);
    std::size_t next = 0;
    for (Row& row : rows) {
      row.adjusted.push_back(row.metrics[m].p_value ? std::optional(adjusted[next++])
                                                    : std::nullopt);
    }
  }
}

class Compare : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option(
           "FILE", files_,
           "predictions of two or more models on the same samples, as files or run folders; "
           "the others are compared against the first")
        ->required();
    flags_.declare(app);
    declare_json(app, json_);
  }

  void run() override {
    if (files_.size() < 2) {
      fail("compare", fmt::format("got {} file; expected two or more", files_.size()));
    }
    const RunClock clock;
    const auto requests = flags_.requests();
    EvalOptions options = flags_.options();
    const Predictions reference = load_argument(files_[0], "compare");
    std::vector<Row> rows;
    for (std::size_t i = 1; i < files_.size(); ++i) {
      const Predictions other = load_argument(files_[i], "compare");
      Progress progress("resampling " + files_[i], options.bootstrap.resamples);
      options.bootstrap.progress = [&](std::size_t done) { progress.update(done); };
      try {
        rows.push_back({compare(reference.outcomes(), other.outcomes(), requests, options), {}});
      } catch (const Error& e) {
        fail(e.function(), fmt::format("{} ({} and {})", e.message(), files_[0], files_[i]));
      }
    }
    adjust(rows);
    if (json_) return print_json(rows, clock);
    print_text(rows);
    print_notes(rows, sides_note(requests, reference.side.values, options));
  }

 private:
  static Json metric_json(const ComparedMetric& m, const std::optional<double>& adjusted) {
    if (!m.a.defined() || !m.b.defined()) return {{"difference", nullptr}, {"why", m.why}};
    Json json = {{"first", m.a.value}, {"second", m.b.value}, {"difference", m.difference}};
    if (m.interval) {
      json["interval"] = {{"low", m.interval->low},
                          {"high", m.interval->high},
                          {"level", m.interval->level},
                          {"method", m.interval->method}};
    } else {
      json["interval"] = nullptr;
      json["no_interval"] = m.why;
    }
    if (m.p_value) {
      json["p_value"] = *m.p_value;
      json["p_value_holm"] = *adjusted;
      json["test"] = m.test;
    }
    json["higher_is_better"] = m.request.row->info.higher_is_better;
    if (m.open) json["sides"] = {"base", side_name(*m.open)};
    return json;
  }

  void print_json(const std::vector<Row>& rows, const RunClock& clock) const {
    Json comparisons = Json::array();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Json metrics = Json::object();
      for (std::size_t m = 0; m < rows[i].metrics.size(); ++m) {
        metrics[rows[i].metrics[m].request.name] =
            metric_json(rows[i].metrics[m], rows[i].adjusted[m]);
      }
      comparisons.push_back(
          {{"first", files_[0]}, {"second", files_[i + 1]}, {"metrics", std::move(metrics)}});
    }
    const Json json = {{"schema", "openworld.comparison/2"},
                       {"version", OPENWORLD_VERSION},
                       {"comparisons", std::move(comparisons)},
                       {"cost", run_cost_json(clock.cost())}};
    openworld::print_json(json);
  }

  void print_text(const std::vector<Row>& rows) const {
    const auto names = short_names(files_);
    const double level = flags_.options().bootstrap.level;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      TextTable table({fmt::format("{} against {}", names[i + 1], names[0]), names[0], names[i + 1],
                       "difference", fmt::format("{:g} % interval", level * 100), "p (Holm)",
                       "test"});
      std::vector<std::string> notes;
      for (std::size_t m = 0; m < rows[i].metrics.size(); ++m) {
        const ComparedMetric& metric = rows[i].metrics[m];
        const std::string title = metric_title(metric.request.row->info, metric.request.params);
        if (!metric.why.empty()) notes.push_back(fmt::format("{}: {}", title, metric.why));
        if (!metric.a.defined() || !metric.b.defined()) {
          table.add({title, "-", "-", "", "", "", ""});
          continue;
        }
        const auto& adjusted = rows[i].adjusted[m];
        const bool significant = adjusted && *adjusted < 1 - level;
        table.add({title, value_text(metric, metric.a.value), value_text(metric, metric.b.value),
                   difference_text(metric, metric.difference), interval_text(metric),
                   adjusted ? starred_cell(p_text(*adjusted), significant) : TextCell(""),
                   std::string(metric.test)});
      }
      print_out("{}", i == 0 ? "" : "\n");
      print_table(table);
      for (const std::string& note : notes) print_out("- {}\n", note);
    }
    print_out("\n* significant at {:g} % after Holm's correction over {} comparison{}\n",
              (1 - level) * 100, rows.size(), rows.size() == 1 ? "" : "s");
  }

  void print_notes(const std::vector<Row>& rows, const std::string& sides) const {
    if (!sides.empty()) print_out("- {}\n", sides);
    for (std::size_t m = 0; m < rows[0].metrics.size(); ++m) {
      if (rows[0].metrics[m].request.name != "auroc") continue;
      print_reversed(files_[0], rows[0].metrics[m].a);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        print_reversed(files_[i + 1], rows[i].metrics[m].b);
      }
    }
  }

  static void print_reversed(const std::string& file, const MetricValue& auroc) {
    if (!auroc.defined()) return;
    const std::string note = reversed_note(auroc.value, std::nullopt);
    if (!note.empty()) print_out("- {}: {}\n", file, note);
  }

  std::vector<std::string> files_;
  EvalFlags flags_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_compare() {
  return std::make_unique<Compare>();
}

}  // namespace openworld
