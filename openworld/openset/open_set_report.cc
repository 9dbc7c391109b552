#include "openworld/openset/open_set_report.h"

#include "openworld/analysis/compare.h"

namespace openworld {
namespace {

TestSummary summarize(const OpenSetTest& test, const OpenSetScores& scores,
                      const OpenSetCiOptions& options) {
  return {test.classes, test.extra, count_outcomes(test, options.bootstrap.level),
          measure_test(test, scores, ErrorKind::kOpenSet, options)};
}

// Over seeds; nothing if one of the values is undefined.
std::optional<SeedSummary> over_seeds(const GrowthPoint& point, std::size_t measure,
                                      std::size_t metric, double level) {
  std::vector<double> values;
  for (const TestSummary& summary : point.by_seed) {
    const MetricValue& value = summary.open_set[measure].metrics[metric].value;
    if (!value.defined()) return std::nullopt;
    values.push_back(value.value);
  }
  return summarize_seeds(values, level);
}

std::vector<GrowthPoint> summarize_growth(const OpenSetScores& scores, double level) {
  const OpenSetCiOptions plain{.kind = OpenSetCi::kNone, .bootstrap = {.level = level}};
  const std::size_t sizes = scores.by_subset.empty() ? 0 : scores.plan.sizes.size();
  std::vector<GrowthPoint> growth;
  for (std::size_t s = 0; s < sizes; ++s) {
    GrowthPoint point{.size = scores.plan.sizes[s], .by_seed = {}, .accuracy = {}, .metrics = {}};
    std::vector<double> accuracies;
    for (std::size_t seed = 0; seed < scores.plan.seeds.size(); ++seed) {
      point.by_seed.push_back(summarize(scores.by_subset[seed * sizes + s], scores, plain));
      // A class without images can make a subset empty; its accuracy is undefined.
      const auto& accuracy = point.by_seed.back().counts.accuracy;
      if (accuracy) accuracies.push_back(accuracy->value);
    }
    if (!accuracies.empty()) point.accuracy = summarize_seeds(accuracies, level);
    point.metrics.resize(scores.plan.measures.size());
    for (std::size_t m = 0; m < point.metrics.size(); ++m) {
      for (std::size_t k = 0; k < kOpenSetMetrics; ++k) {
        point.metrics[m][k] = over_seeds(point, m, k, level);
      }
    }
    growth.push_back(std::move(point));
  }
  return growth;
}

}  // namespace

OpenSetReport report_open_set(const OpenSetScores& scores, const OpenSetCiOptions& options) {
  OpenSetReport report;
  report.form = scores.plan.form;
  report.role = scores.plan.role;
  report.images = static_cast<std::int64_t>(scores.images);
  report.level = options.bootstrap.level;
  if (scores.extra > 0) {
    for (const OpenSetTest& test : scores.by_extra) {
      report.by_extra.push_back(summarize(test, scores, options));
    }
    report.all = report.by_extra.back();
    report.efficacies = efficacies(scores);
  } else {
    report.all = summarize(scores.all(), scores, options);
  }
  report.closed_set = measure_test(scores.all(), scores, ErrorKind::kClosedSet, options);
  report.growth = summarize_growth(scores, report.level);
  return report;
}

std::vector<PairedResult> compare_measures(const OpenSetScores& scores, std::size_t reference,
                                           const OpenSetCiOptions& options) {
  const auto& measures = scores.plan.measures;
  const ImageRanking first = rank_test(scores.all(), reference, ErrorKind::kOpenSet, scores.images);
  std::vector<PairedResult> pairs;
  for (std::size_t m = 0; m < measures.size(); ++m) {
    const std::int32_t left = scores.plan.classes + scores.extra - 1;
    if (m == reference || left < measures[m]->queries) continue;
    const ImageRanking second = rank_test(scores.all(), m, ErrorKind::kOpenSet, scores.images);
    pairs.push_back({std::string(measures[reference]->name),
                     std::string(measures[m]->name),
                     compare_rankings(first, second, options),
                     {}});
  }
  return pairs;
}

void adjust_pairs(std::vector<PairedResult>& pairs) {
  for (std::size_t k = 0; k < kOpenSetMetrics; ++k) {
    std::vector<double> p_values;
    for (const PairedResult& pair : pairs) {
      if (pair.metrics[k].p_value) p_values.push_back(*pair.metrics[k].p_value);
    }
    const std::vector<double> adjusted = holm_adjust(p_values);
    std::size_t next = 0;
    for (PairedResult& pair : pairs) {
      if (pair.metrics[k].p_value) pair.p_holm[k] = adjusted[next++];
    }
  }
}

}  // namespace openworld
