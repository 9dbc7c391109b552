#include "openworld/analysis/open_set_metrics.h"

#include <cmath>

#include "openworld/metrics/aupr.h"
#include "openworld/metrics/auroc.h"
#include "openworld/metrics/delong.h"
#include "openworld/metrics/precision_at_recall.h"
#include "openworld/metrics/recall_at_precision.h"
#include "openworld/stats/distributions.h"

namespace openworld {
namespace {

constexpr std::size_t kAurocAt = 0;

bool has_closed_form(std::size_t metric, const OpenSetCiOptions& options) {
  return options.kind == OpenSetCi::kAuto && metric == kAurocAt;
}

// What a metric of a ranking cannot be computed from, or nothing.
std::string missing(const ImageRanking& ranking, ErrorKind errors) {
  if (ranking.positives() == 0) return "no true positive is left";
  if (ranking.errors() > 0) return "";
  return errors == ErrorKind::kOpenSet ? "no open-set error is left"
                                       : "no closed-set error is left";
}

double variance_of(const std::vector<double>& influence) {
  const auto n = static_cast<double>(influence.size());
  double squares = 0;
  for (const double value : influence) squares += value * value;
  return n < 2 ? 0 : squares * n / (n - 1);
}

void add_clustered_interval(const ImageRanking& ranking, double level, MeasuredValue& result) {
  const double variance = variance_of(ranking.auroc_influence());
  const double value = result.value.value;
  if (!(value > 0 && value < 1 && variance > 0)) {
    result.no_interval = "the estimated variance is zero";
    return;
  }
  Interval interval{.low = 0, .high = 0, .level = level, .method = "delong_clustered"};
  logit_interval(value, variance, level, interval.low, interval.high);
  result.interval = interval;
}

MetricValue compute(const Ranking& ranking, std::size_t metric) {
  const OpenSetMetricRow& row = open_set_metric_table()[metric];
  return row.metric->compute(ranking, open_set_metric_options(row));
}

// All images in one stratum.
Resampler image_resampler(std::size_t images, const BootstrapOptions& options) {
  return Resampler(std::vector<std::uint8_t>(images, 0), options.seed);
}

// A metric of one ranking whose interval the bootstrap has to find.
struct Wanted {
  const ImageRanking* ranking;
  std::size_t metric;
  MeasuredValue* result;
};

void add_bootstrap(const std::vector<Wanted>& wanted, const BootstrapOptions& options) {
  if (wanted.empty()) return;
  const Resampler resampler = image_resampler(wanted[0].ranking->images(), options);
  const auto evaluate = [&](std::span<const std::uint8_t> by_image, std::span<double> values) {
    std::vector<std::uint8_t> by_rank;
    const ImageRanking* current = nullptr;
    std::optional<Ranking> ranking;
    for (std::size_t w = 0; w < wanted.size(); ++w) {
      if (wanted[w].ranking != current) {
        current = wanted[w].ranking;
        current->weights_by_rank(by_image, by_rank);
        ranking.emplace(current->ranked(), by_rank);
      }
      values[w] = compute(*ranking, wanted[w].metric).value;
    }
  };
  const Replicates replicates = replicate(resampler, wanted.size(), evaluate, options);
  for (std::size_t w = 0; w < wanted.size(); ++w) {
    MeasuredValue& result = *wanted[w].result;
    const BootstrapResult found =
        interval_from_replicates(result.value.value, replicates, w, options);
    result.interval = found.interval;
    result.no_interval = found.why;
  }
}

void set_paired_interval(PairedDifference& result, double variance, double level) {
  const double reach = normal_quantile(0.5 + level / 2) * std::sqrt(variance);
  result.interval = Interval{.low = result.difference - reach,
                             .high = result.difference + reach,
                             .level = level,
                             .method = "paired_normal"};
}

void test_auroc(const ImageRanking& a, const ImageRanking& b, double level,
                PairedDifference& result) {
  std::vector<double> influence = b.auroc_influence();
  const std::vector<double> of_a = a.auroc_influence();
  for (std::size_t i = 0; i < influence.size(); ++i) influence[i] -= of_a[i];
  const double variance = variance_of(influence);
  result.test = "delong_clustered";
  // Rankings that are the same leave the rounding of their influences.
  if (!(variance > 1e-30)) {
    result.why = result.difference == 0 ? "both rank alike" : "the estimated variance is zero";
    if (result.difference == 0) result.p_value = 1;
    return;
  }
  result.p_value = 2 * normal_cdf(-std::abs(result.difference) / std::sqrt(variance));
  set_paired_interval(result, variance, level);
}

void test_by_bootstrap(const ImageRanking& a, const ImageRanking& b,
                       const std::vector<std::size_t>& metrics, const BootstrapOptions& options,
                       std::array<PairedDifference, kOpenSetMetrics>& results) {
  if (metrics.empty()) return;
  const Resampler resampler = image_resampler(a.images(), options);
  const auto evaluate = [&](std::span<const std::uint8_t> by_image, std::span<double> values) {
    std::vector<std::uint8_t> of_a, of_b;
    a.weights_by_rank(by_image, of_a);
    b.weights_by_rank(by_image, of_b);
    const Ranking first(a.ranked(), of_a), second(b.ranked(), of_b);
    for (std::size_t m = 0; m < metrics.size(); ++m) {
      values[m] = compute(second, metrics[m]).value - compute(first, metrics[m]).value;
    }
  };
  const Replicates replicates = replicate(resampler, metrics.size(), evaluate, options);
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    PairedDifference& result = results[metrics[m]];
    result.test = "bootstrap";
    const BootstrapResult found =
        interval_from_replicates(result.difference, replicates, m, options);
    result.interval = found.interval;
    result.why = found.why;
    if (found.interval) result.p_value = bootstrap_p_value(replicates.drawn[m]);
  }
}

}  // namespace

const std::array<OpenSetMetricRow, kOpenSetMetrics>& open_set_metric_table() {
  static constexpr std::array<OpenSetMetricRow, kOpenSetMetrics> kRows = {{
      {"auroc", "AuROC", &kAuroc},
      {"aupr", "AuPR", &kAuprBaseTrapezoid},
      {"p_at_95r", "P@95R", &kPrecisionAtRecall},
      {"r_at_95p", "R@95P", &kRecallAtPrecision},
  }};
  return kRows;
}

MetricOptions open_set_metric_options(const OpenSetMetricRow& row) {
  return {.ties = {}, .open = Side::kUnknown, .params = row.metric->info.params};
}

std::vector<MeasuredValues> measure_rankings(const std::vector<ImageRanking>& rankings,
                                             ErrorKind errors, const OpenSetCiOptions& options) {
  std::vector<MeasuredValues> results(rankings.size());
  std::vector<Wanted> wanted;
  for (std::size_t r = 0; r < rankings.size(); ++r) {
    const ImageRanking& ranking = rankings[r];
    const std::string why = missing(ranking, errors);
    if (!why.empty()) {
      for (MeasuredValue& value : results[r]) value.value = undefined(why);
      continue;
    }
    const Ranking whole(ranking.ranked());
    for (std::size_t k = 0; k < kOpenSetMetrics; ++k) {
      MeasuredValue& value = results[r][k];
      value.value = compute(whole, k);
      if (!value.value.defined() || options.kind == OpenSetCi::kNone) continue;
      if (has_closed_form(k, options)) {
        add_clustered_interval(ranking, options.bootstrap.level, value);
      } else {
        wanted.push_back({&ranking, k, &value});
      }
    }
  }
  add_bootstrap(wanted, options.bootstrap);
  return results;
}

std::array<PairedDifference, kOpenSetMetrics> compare_rankings(const ImageRanking& a,
                                                               const ImageRanking& b,
                                                               const OpenSetCiOptions& options) {
  std::array<PairedDifference, kOpenSetMetrics> results;
  std::string why = missing(a, ErrorKind::kOpenSet);
  if (why.empty()) why = missing(b, ErrorKind::kOpenSet);
  if (!why.empty()) {
    for (PairedDifference& result : results) {
      result.a = result.b = undefined(why);
      result.why = why;
    }
    return results;
  }
  const Ranking first(a.ranked()), second(b.ranked());
  std::vector<std::size_t> by_bootstrap;
  for (std::size_t k = 0; k < kOpenSetMetrics; ++k) {
    PairedDifference& result = results[k];
    result.a = compute(first, k);
    result.b = compute(second, k);
    if (!result.a.defined() || !result.b.defined()) {
      result.why = result.a.defined() ? result.b.why : result.a.why;
      continue;
    }
    result.difference = result.b.value - result.a.value;
    if (options.kind == OpenSetCi::kNone) continue;
    if (has_closed_form(k, options)) {
      test_auroc(a, b, options.bootstrap.level, result);
    } else {
      by_bootstrap.push_back(k);
    }
  }
  test_by_bootstrap(a, b, by_bootstrap, options.bootstrap, results);
  return results;
}

}  // namespace openworld
