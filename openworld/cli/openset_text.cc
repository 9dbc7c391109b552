// The tables of `openworld openset`.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "openworld/cli/openset_run.h"
#include "openworld/report/text_table.h"

namespace openworld {
namespace {

std::string value_text(const MetricValue& value) {
  return value.defined() ? percent(value.value) : "-";
}

std::string with_interval(const MeasuredValue& metric) {
  if (!metric.interval) return value_text(metric.value);
  return fmt::format("{} [{}, {}]", value_text(metric.value), percent(metric.interval->low),
                     percent(metric.interval->high));
}

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
  for (const std::string& line : seen) fmt::print("{}\n", line);
}

void print_measures(const char* heading, const std::vector<MeasureResult>& results) {
  std::vector<std::string> header = {heading};
  for (const OpenSetMetricRow& row : open_set_metric_table()) header.emplace_back(row.title);
  TextTable table(header);
  for (const MeasureResult& result : results) {
    std::vector<std::string> cells = {std::string(result.measure->title)};
    for (const MeasuredValue& metric : result.metrics) cells.push_back(with_interval(metric));
    table.add(std::move(cells));
  }
  fmt::print("{}", table.text());
  print_reasons(results);
}

void print_extras(const OpenSetReport& report, std::size_t measure) {
  const char* what = report.role == ExtraRole::kNegative ? "negatives" : "more classes";
  TextTable table({fmt::format("{}, {}", what, report.all.open_set[measure].measure->title), "TP",
                   "OSE", "accuracy", "AuROC", "AuPR", "P@95R", "R@95P"});
  for (const TestSummary& test : report.by_extra) {
    std::vector<std::string> cells = {std::to_string(test.extra), std::to_string(test.counts.tp),
                                      std::to_string(test.counts.ose),
                                      percent(test.counts.accuracy->value)};
    for (const MeasuredValue& metric : test.open_set[measure].metrics) {
      cells.push_back(with_interval(metric));
    }
    table.add(std::move(cells));
  }
  fmt::print("\n{}", table.text());
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
  fmt::print(
      "\n{} of {} further queries take more images of the open test than of the closed one; "
      "{} take none\n",
      good, report.efficacies.size(), unused);
  constexpr std::size_t kShown = 10;
  TextTable table({"most effective", "open", "closed", "TP lost"});
  for (std::size_t i = 0; i < std::min(kShown, order.size()); ++i) {
    const std::size_t m = order[i];
    const Efficacy& e = report.efficacies[m];
    table.add({m < input.extra_names.size() ? input.extra_names[m] : fmt::format("query {}", m),
               std::to_string(e.open), std::to_string(e.closed), std::to_string(e.tp_lost)});
  }
  fmt::print("{}", table.text());
}

std::string seeds_text(const std::optional<SeedSummary>& summary) {
  if (!summary || summary->seeds == 0) return "-";
  if (!summary->sd) return percent(summary->mean);
  return fmt::format("{} ± {}", percent(summary->mean), percent(*summary->sd));
}

void print_growth(const OpenSetReport& report, std::size_t measure) {
  TextTable table({fmt::format("classes, {}", report.all.open_set[measure].measure->title),
                   "accuracy", "AuROC", "AuPR", "P@95R", "R@95P"});
  for (const GrowthPoint& point : report.growth) {
    std::vector<std::string> cells = {std::to_string(point.size), seeds_text(point.accuracy)};
    for (std::size_t k = 0; k < kOpenSetMetrics; ++k) {
      cells.push_back(seeds_text(point.metrics[measure][k]));
    }
    table.add(std::move(cells));
  }
  fmt::print("\n{}mean ± deviation over {} seeds\n", table.text(), report.growth[0].by_seed.size());
}

void print_pairs(const OpenSetReport& report) {
  TextTable table(
      {"paired", "metric", "first", "second", "difference", "interval", "p (Holm)", "test"});
  for (const PairedResult& pair : report.pairs) {
    for (std::size_t k = 0; k < kOpenSetMetrics; ++k) {
      const PairedDifference& d = pair.metrics[k];
      const bool both = d.a.defined() && d.b.defined();
      table.add({k == 0 ? fmt::format("{} against {}", pair.second, pair.first) : "",
                 open_set_metric_table()[k].title, value_text(d.a), value_text(d.b),
                 both ? fmt::format("{:+.2f}", d.difference * 100) : "-",
                 d.interval ? fmt::format("[{:+.2f}, {:+.2f}]", d.interval->low * 100,
                                          d.interval->high * 100)
                            : "",
                 pair.p_holm[k] ? p_text(*pair.p_holm[k]) : "", d.test});
    }
  }
  fmt::print("\n{}", table.text());
}

}  // namespace

void print_open_set_text(const OpenSetReport& report, const OpenSetInput& input,
                         std::size_t measure) {
  const OpenSetCounts& counts = report.all.counts;
  const std::string extra =
      report.all.extra == 0
          ? ""
          : fmt::format(", {} {}", report.all.extra,
                        report.role == ExtraRole::kNegative ? "negative queries" : "more classes");
  fmt::print("{} images, {} classes{}\n", counts.images, report.all.classes, extra);
  fmt::print("TP {}, OSE {}, closed-set errors {}, accuracy {} [{}, {}]\n\n", counts.tp, counts.ose,
             counts.wrong, percent(counts.accuracy->value), percent(counts.accuracy->low),
             percent(counts.accuracy->high));
  print_measures("against open-set errors", report.all.open_set);
  fmt::print("\n");
  print_measures("against closed-set errors", report.closed_set);
  if (!report.by_extra.empty()) {
    print_extras(report, measure);
    print_efficacy(report, input);
  }
  if (!report.growth.empty()) print_growth(report, measure);
  if (!report.pairs.empty()) print_pairs(report);
}

}  // namespace openworld
