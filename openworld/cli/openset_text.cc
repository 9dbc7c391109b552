// The tables of `openworld openset`.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "openworld/cli/openset_run.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/print_table.h"
#include "openworld/report/open_set_tables.h"
#include "openworld/report/text_table.h"

namespace openworld {
namespace {

// One line for each reason why something is missing, with what it is of.
void print_reasons(const std::vector<MeasureResult>& results) {
  std::vector<std::string> seen;
  for (const MeasureResult& result : results) {
    for (std::size_t k = 0; k < kOpenSetMetrics; ++k) {
      const MetricValue& value = result.metrics[k].value;
      if (value.defined()) continue;
      const std::string line = fmt::format("- {} of {}: {}", open_set_metric_table()[k].title,
                                           result.measure->title, value.why);
      if (std::find(seen.begin(), seen.end(), line) == seen.end()) seen.push_back(line);
    }
  }
  for (const std::string& line : seen) print_out("{}\n", line);
}

void print_measures(const char* heading, const std::vector<MeasureResult>& results) {
  print_table(measures_table(heading, results).text());
  print_reasons(results);
}

void print_efficacy(const OpenSetReport& report, const OpenSetInput& input) {
  std::vector<std::size_t> order(report.efficacies.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto gain = [&](std::size_t m) {
    return report.efficacies[m].open - report.efficacies[m].closed;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return gain(a) > gain(b); });
  std::int64_t good = 0, unused = 0;
  for (const Efficacy& e : report.efficacies) {
    good += e.open > e.closed;
    unused += e.open == 0 && e.closed == 0;
  }
  print_out(
      "\n{} of {} further queries take more images of the open test than of the closed one; "
      "{} take none\n",
      good, report.efficacies.size(), unused);
  constexpr std::size_t kShown = 10;
  TextTable table({"most effective", "open", "closed", "TP lost"});
  for (std::size_t i = 0; i < std::min(kShown, order.size()); ++i) {
    const std::size_t m = order[i];
    const Efficacy& e = report.efficacies[m];
    table.add({further_query_name(m, input.extra_names), std::to_string(e.open),
               std::to_string(e.closed), std::to_string(e.tp_lost)});
  }
  print_table(table);
}

}  // namespace

void print_open_set_text(const OpenSetReport& report, const OpenSetInput& input,
                         std::size_t measure) {
  const OutcomeCounts& counts = report.all.counts;
  const std::string extra = report.all.extra == 0 ? ""
                                                  : fmt::format(", {} {}", report.all.extra,
                                                                further_queries_text(report));
  print_out("{} images, {} classes{}\n", counts.images, report.all.classes, extra);
  print_out("TP {}, OSE {}, closed-set errors {}, accuracy {} [{}, {}]\n\n", counts.tp, counts.ose,
            counts.wrong, percent(counts.accuracy->value), percent(counts.accuracy->low),
            percent(counts.accuracy->high));
  print_measures("against open-set errors", report.all.open_set);
  print_out("\n");
  print_measures("against closed-set errors", report.closed_set);
  if (!report.by_extra.empty()) {
    print_out("\n");
    print_table(further_queries_table(report, measure).text());
    print_efficacy(report, input);
  }
  if (!report.growth.empty()) {
    print_out("\n");
    print_table(growth_table(report, measure).text());
    print_out("mean ± deviation over {} seeds\n", report.growth[0].by_seed.size());
  }
  if (!report.pairs.empty()) {
    print_out("\n");
    print_table(pairs_table(report).text());
  }
}

}  // namespace openworld
