#include "openworld/analysis/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "openworld/analysis/same_samples.h"
#include "openworld/base/error.h"
#include "openworld/metrics/delong.h"
#include "openworld/stats/distributions.h"

namespace openworld {
namespace {

// Mean and variance of the mean.
struct Moments {
  double n = 0, sum = 0, squares = 0;

  void add(double value) {
    n += 1;
    sum += value;
    squares += value * value;
  }
  double variance_of_mean() const {
    return n < 2 ? 0 : std::max(0.0, (squares - sum * sum / n) / (n - 1)) / n;
  }
};

void set_normal_interval(ComparedMetric& result, double variance, double level) {
  const double reach = normal_quantile(0.5 + level / 2) * std::sqrt(variance);
  result.interval = Interval{.low = result.difference - reach,
                             .high = result.difference + reach,
                             .level = level,
                             .method = "paired_normal"};
}

void test_delong(const Ranking& a, const Ranking& b, const MetricOptions& options, double level,
                 ComparedMetric& result) {
  const MetricRow& row = *result.request.row;
  const Side open = open_side(row, a.totals(), options);
  const UStatistic statistic{row.kernel(open), options.ties.value_or(*row.ties)};
  const std::vector<double> of_a = placements(a, statistic), of_b = placements(b, statistic);
  const auto side = a.ranked().outcomes().side;
  Moments base, other;
  for (std::size_t i = 0; i < side.size(); ++i) {
    if (side[i] == static_cast<int>(Side::kBase)) base.add(of_b[i] - of_a[i]);
    if (side[i] == static_cast<int>(open)) other.add(of_b[i] - of_a[i]);
  }
  const double variance = base.variance_of_mean() + other.variance_of_mean();
  result.test = "delong";
  if (!(variance > 0)) {
    result.why =
        result.difference == 0 ? "the models rank alike" : "the estimated variance is zero";
    if (result.difference == 0) result.p_value = 1;
    return;
  }
  result.p_value = 2 * normal_cdf(-std::abs(result.difference) / std::sqrt(variance));
  set_normal_interval(result, variance, level);
}

void test_mcnemar(const Ranking& a, const Ranking& b, double level, ComparedMetric& result) {
  const auto verdict = result.request.row->verdict;
  std::vector<int> first(a.ranked().size());
  for (std::size_t i = 0; i < first.size(); ++i)
    first[a.ranked().order()[i]] = verdict(a.codes()[i]);
  std::int64_t only_a = 0, only_b = 0;
  Moments differences;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const int was = first[b.ranked().order()[i]], is = verdict(b.codes()[i]);
    if (was < 0 || is < 0) continue;
    only_a += was > is;
    only_b += is > was;
    differences.add(is - was);
  }
  result.test = "mcnemar";
  const std::int64_t discordant = only_a + only_b;
  if (discordant == 0) {
    result.p_value = 1;
    result.why = "the models are right on the same samples";
    return;
  }
  result.p_value = std::min(1.0, 2 * binomial_cdf(std::min(only_a, only_b), discordant, 0.5));
  set_normal_interval(result, differences.variance_of_mean(), level);
}

void test_bootstrap(const RankedScores& a, const RankedScores& b, const EvalOptions& options,
                    std::span<ComparedMetric*> results) {
  if (results.empty()) return;
  const BootstrapOptions& bootstrap = options.bootstrap;
  const Resampler resampler(strata_by_row(a.outcomes()), bootstrap.seed);
  const auto evaluate = [&](std::span<const std::uint8_t> weights, std::span<double> differences) {
    std::vector<std::uint8_t> of_a, of_b;
    weights_by_rank(weights, a, of_a);
    weights_by_rank(weights, b, of_b);
    const Ranking first(a, of_a), second(b, of_b);
    for (std::size_t m = 0; m < results.size(); ++m) {
      const MetricRow& row = *results[m]->request.row;
      MetricOptions mine = metric_options(results[m]->request, options);
      mine.open = open_side(row, a.totals(), mine);
      differences[m] = row.compute(second, mine).value - row.compute(first, mine).value;
    }
  };
  const Replicates replicates = replicate(resampler, results.size(), evaluate, bootstrap);
  for (std::size_t m = 0; m < results.size(); ++m) {
    ComparedMetric& result = *results[m];
    result.test = "bootstrap";
    const auto outcome = interval_from_replicates(result.difference, replicates, m, bootstrap);
    result.interval = outcome.interval;
    result.why = outcome.why;
    if (!outcome.interval) continue;
    result.p_value = bootstrap_p_value(replicates.drawn[m]);
  }
}

}  // namespace

std::vector<ComparedMetric> compare(const Outcomes& a, const Outcomes& b,
                                    std::span<const MetricRequest> requests,
                                    const EvalOptions& options) {
  validate(a);
  validate(b);
  check_same_samples("compare", a, b, "the first", "the second");
  const RankedScores ranked_a(a, RankedScores::Keep::kOrder);
  const RankedScores ranked_b(b, RankedScores::Keep::kOrder);
  const Ranking first(ranked_a), second(ranked_b);
  std::vector<ComparedMetric> results(requests.size());
  std::vector<ComparedMetric*> by_bootstrap;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    ComparedMetric& result = results[i];
    const MetricRow& row = *requests[i].row;
    const MetricOptions mine = metric_options(requests[i], options);
    result.request = requests[i];
    if (row.open != OpenRule::kNone) result.open = open_side(row, ranked_a.totals(), mine);
    result.a = row.compute(first, mine);
    result.b = row.compute(second, mine);
    if (!result.a.defined() || !result.b.defined()) {
      result.why = result.a.defined() ? result.b.why : result.a.why;
      continue;
    }
    result.difference = result.b.value - result.a.value;
    if (options.ci == Ci::kNone) continue;
    if (options.ci == Ci::kDelong && row.kernel != nullptr) {
      test_delong(first, second, mine, options.bootstrap.level, result);
    } else if (options.ci == Ci::kDelong && row.verdict != nullptr) {
      test_mcnemar(first, second, options.bootstrap.level, result);
    } else {
      by_bootstrap.push_back(&result);
    }
  }
  test_bootstrap(ranked_a, ranked_b, options, by_bootstrap);
  return results;
}

std::vector<double> holm_adjust(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return p_values[i] < p_values[j]; });
  std::vector<double> adjusted(p_values.size());
  double floor = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto remaining = static_cast<double>(order.size() - k);
    floor = std::max(floor, std::min(1.0, remaining * p_values[order[k]]));
    adjusted[order[k]] = floor;
  }
  return adjusted;
}

}  // namespace openworld
