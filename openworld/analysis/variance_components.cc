#include "openworld/analysis/variance_components.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "openworld/analysis/same_samples.h"
#include "openworld/base/error.h"
#include "openworld/metrics/accuracy.h"
#include "openworld/metrics/delong.h"
#include "openworld/metrics/hm.h"
#include "openworld/stats/seeds.h"

namespace openworld {
namespace {

constexpr auto kFunction = "samplesize";

// Metrics that are functions of BaseAcc and NewAcc alone, with the derivatives by the two.
// OverallAcc is none: its weights are the sizes of the sides.
struct AccuracyFunction {
  const MetricRow* row;
  bool of_base, of_new;
  std::array<double, 2> (*slopes)(double base_acc, double new_acc);
};

constexpr AccuracyFunction kAccuracyFunctions[] = {
    {&kBaseAcc, true, false,
     [](double, double) {
       return std::array{1.0, 0.0};
     }},
    {&kNewAcc, false, true,
     [](double, double) {
       return std::array{0.0, 1.0};
     }},
    {&kHm, true, true,
     [](double b, double n) {
       const double sum = b + n;
       return sum > 0 ? std::array{2 * n * n / (sum * sum), 2 * b * b / (sum * sum)}
                      : std::array{0.0, 0.0};
     }},
};

const AccuracyFunction* accuracy_function(const MetricRow& row) {
  const auto found = std::ranges::find(kAccuracyFunctions, &row, &AccuracyFunction::row);
  return found == std::end(kAccuracyFunctions) ? nullptr : found;
}

bool has_components(const MetricRow& row) {
  return row.kernel != nullptr || accuracy_function(row) != nullptr;
}

std::vector<double> accuracy_influences(const Ranking& ranking, const AccuracyFunction& function) {
  const MetricValue base = base_acc(ranking), other = new_acc(ranking);
  const auto [of_base, of_new] = function.slopes(base.defined() ? base.value : 0,  //
                                                 other.defined() ? other.value : 0);
  std::vector<double> influences(ranking.ranked().size());
  for (std::size_t rank = 0; rank < influences.size(); ++rank) {
    const int kind = ranking.codes()[rank] & kKindMask;
    double& influence = influences[ranking.ranked().order()[rank]];
    if (kind == kBaseRight) influence = of_base;
    if (kind == kNewRight) influence = of_new;
  }
  return influences;
}

// The residual mean square of the table of pairs. Its total sum of squares is that of the rows'
// means, of the columns' means, and of the residuals.
double pair_residual(const Ranking& ranking, const UStatistic& statistic, double value,
                     double base_variance, double other_variance) {
  const auto n_base = static_cast<double>(ranking.totals().base());
  const auto n_other = static_cast<double>(ranking.totals().open(statistic.kernel.open));
  const auto wins =
      static_cast<double>(half_pairs(ranking.pairs(), statistic.kernel, Ties::kStrict));
  const auto all = static_cast<double>(half_pairs(ranking.pairs(), statistic.kernel, Ties::kHalf));
  // A tie is 1/2 in the sum and 1/4 in the sum of squares.
  const double squares = 0.5 * wins + (statistic.ties == Ties::kHalf ? 0.25 * (all - wins) : 0);
  const double rest_base = 1 - 1 / n_base, rest_other = 1 - 1 / n_other;
  const double rest = squares / (n_base * n_other) - value * value - base_variance * rest_base -
                      other_variance * rest_other;
  return std::max(0.0, rest / (rest_base * rest_other));
}

struct Moments {
  double variance = 0;        // n - 1
  double relative_error = 0;  // of the variance: sqrt((m4 / m2^2 - 1) / n)
};

template <class ValueOf>
Moments moments(std::span<const std::size_t> rows, const ValueOf& value_of) {
  const auto n = static_cast<double>(rows.size());
  // From the first value, so that equal ones have a variance of exactly zero.
  const double first = value_of(rows[0]);
  double mean = first, second = 0, fourth = 0;
  for (const std::size_t i : rows) mean += (value_of(i) - first) / n;
  for (const std::size_t i : rows) {
    const double square = std::pow(value_of(i) - mean, 2);
    second += square / n;
    fourth += square * square / n;
  }
  if (!(second > 0)) return {};
  return {.variance = second * n / (n - 1),
          .relative_error = std::sqrt(std::max(0.0, fourth / (second * second) - 1) / n)};
}

using Influences = std::vector<std::vector<double>>;  // [run][row]

// The mean over runs of the variance over samples.
double variance_within(std::span<const std::size_t> rows, const Influences& influences) {
  double sum = 0;
  for (const auto& of_run : influences) {
    sum += moments(rows, [&](std::size_t i) { return of_run[i]; }).variance;
  }
  return sum / static_cast<double>(influences.size());
}

SideVariance side_variance(std::span<const std::size_t> rows, const Influences& influences) {
  if (rows.size() < 2) return {.samples = static_cast<std::int64_t>(rows.size())};
  const auto runs = static_cast<double>(influences.size());
  const Moments of_mean = moments(rows, [&](std::size_t i) {
    double sum = 0;
    for (const auto& of_run : influences) sum += of_run[i];
    return sum / runs;
  });
  const double within = variance_within(rows, influences);
  // The mean over runs has variance shared + own / runs, one run has shared + own.
  const double own = runs > 1 ? std::max(0.0, (within - of_mean.variance) * runs / (runs - 1)) : 0;
  return {.samples = static_cast<std::int64_t>(rows.size()),
          .shared = within - own,
          .own = own,
          .relative_error = of_mean.relative_error};
}

std::vector<std::size_t> rows_of(const Outcomes& outcomes, Side side) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes.side[i] == static_cast<int>(side)) rows.push_back(i);
  }
  return rows;
}

// The runs of a pilot as the metric sees them.
class Pilot {
 public:
  Pilot(std::span<const Outcomes> runs, std::span<const std::string> names,
        const MetricRequest& request, const EvalOptions& options)
      : request_(request), options_(metric_options(request, options)), name_(names[0]) {
    for (std::size_t s = 0; s < runs.size(); ++s) {
      validate(runs[s]);
      check_same_samples(kFunction, runs[0], runs[s], names[0], names[s]);
      const RankedScores ranked(runs[s], RankedScores::Keep::kOrder);
      if (s == 0) choose_rows(runs[0], ranked.totals());
      add(Ranking(ranked), names[s]);
    }
  }

  VarianceComponents components() const {
    const SeedSummary over_seeds = summarize_seeds(values_);
    VarianceComponents result{.request = request_,
                              .open = *options_.open,
                              .seeds = values_.size(),
                              .value = over_seeds.mean,
                              .base = side_variance(base_, influences_),
                              .other = side_variance(other_, influences_),
                              .pairs = pairs_ / static_cast<double>(values_.size()),
                              .between = std::pow(over_seeds.sd.value_or(0), 2)};
    if (request_.row->kernel != nullptr) {
      subtract_pairs(result.base, result.pairs, result.other.samples, values_.size() == 1);
      subtract_pairs(result.other, result.pairs, result.base.samples, values_.size() == 1);
    }
    if (!(result.base.shared + result.base.own + result.other.shared + result.other.own > 0)) {
      fail(kFunction, fmt::format("{}: the estimated variance of {} is zero; expected a pilot in "
                                  "which some samples are right and some wrong",
                                  name_, request_.name));
    }
    const double own = result.base.per_sample(result.base.own) +
                       result.other.per_sample(result.other.own) +
                       result.base.per_sample(result.other.per_sample(result.pairs));
    result.seed = std::max(0.0, result.between - own);
    return result;
  }

 private:
  void choose_rows(const Outcomes& outcomes, const KindCounts& totals) {
    options_.open = open_side(*request_.row, totals, options_);
    base_ = rows_of(outcomes, Side::kBase);
    other_ = rows_of(outcomes, *options_.open);
  }

  void add(const Ranking& ranking, const std::string& name) {
    const MetricRow& row = *request_.row;
    const MetricValue value = row.compute(ranking, options_);
    if (!value.defined()) {
      fail(kFunction, fmt::format("{}: {} is undefined: {}", name, request_.name, value.why));
    }
    const AccuracyFunction* function = accuracy_function(row);
    expect_two(base_, function == nullptr || function->of_base, Side::kBase, name);
    expect_two(other_, function == nullptr || function->of_new, *options_.open, name);
    values_.push_back(value.value);
    if (function != nullptr) {
      influences_.push_back(accuracy_influences(ranking, *function));
      return;
    }
    const UStatistic statistic{row.kernel(*options_.open), options_.ties.value_or(*row.ties)};
    influences_.push_back(placements(ranking, statistic));
    const Influences last = {influences_.back()};
    pairs_ += pair_residual(ranking, statistic, value.value, variance_within(base_, last),
                            variance_within(other_, last));
  }

  static void expect_two(std::span<const std::size_t> rows, bool needed, Side side,
                         const std::string& name) {
    if (!needed || rows.size() >= 2) return;
    fail(kFunction, fmt::format("{}: {} {} sample{}; a variance needs two or more", name,
                                rows.size(), side_name(side), rows.size() == 1 ? "" : "s"));
  }

  // Takes what the pair term adds to a side's variance out of it.
  static void subtract_pairs(SideVariance& side, double pairs, std::int64_t partners,
                             bool one_seed) {
    double& holder = one_seed ? side.shared : side.own;
    holder = std::max(0.0, holder - pairs / static_cast<double>(partners));
  }

  MetricRequest request_;
  MetricOptions options_;
  std::string name_;  // of the first run
  std::vector<std::size_t> base_, other_;
  std::vector<double> values_;
  Influences influences_;
  double pairs_ = 0;  // sum over runs
};

}  // namespace

std::vector<std::string> metrics_with_components() {
  std::vector<std::string> names;
  for (const MetricRow* row : metric_table()) {
    if (has_components(*row)) names.push_back(metric_name(row->info, row->info.params));
  }
  return names;
}

VarianceComponents variance_components(std::span<const Outcomes> runs,
                                       std::span<const std::string> names,
                                       const MetricRequest& request, const EvalOptions& options) {
  assert(!runs.empty() && names.size() == runs.size());
  if (!has_components(*request.row)) {
    fail(kFunction, fmt::format("{} has no variance components; expected one of {}", request.name,
                                fmt::join(metrics_with_components(), ", ")));
  }
  return Pilot(runs, names, request, options).components();
}

}  // namespace openworld
