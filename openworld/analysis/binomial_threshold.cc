#include "openworld/analysis/binomial_threshold.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "openworld/base/error.h"
#include "openworld/stats/beta_binomial.h"
#include "openworld/stats/distributions.h"

namespace openworld {
namespace {

constexpr std::int64_t kMostSamples = 1'000'000'000;

void check_limit(std::string_view function, const MissLimit& limit) {
  if (!(limit.max_miss >= 1e-9 && limit.max_miss < 1)) {
    fail(function,
         fmt::format("max_miss is {}; expected a fraction, 1e-9 to below 1", limit.max_miss));
  }
  if (!(limit.confidence > 0 && limit.confidence < 1)) {
    fail(function,
         fmt::format("confidence is {}; expected a number between 0 and 1", limit.confidence));
  }
}

void check_samples(std::string_view function, std::int64_t samples) {
  if (samples < 1) fail(function, fmt::format("{} samples; expected at least one", samples));
}

// Whether a p-value is small enough. Tails are right to 1e-12, and 0.5^2 <= 0.25 must not fail by
// the last bit of one of them.
bool passes(double p_value, const MissLimit& limit) {
  return p_value <= (1 - limit.confidence) * (1 + 1e-11);
}

bool passes(std::int64_t misses, std::int64_t samples, const MissLimit& limit) {
  return passes(binomial_cdf(misses, samples, limit.max_miss), limit);
}

// The first value in [low, high) that satisfies the monotone `good`, else high.
template <class Good>
std::int64_t first_good(std::int64_t low, std::int64_t high, Good good) {
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (good(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

double miss_rate(std::int64_t misses, std::int64_t samples) {
  return static_cast<double>(misses) / static_cast<double>(samples);
}

std::string refusal_text(std::int64_t misses, std::int64_t samples, const MissLimit& limit,
                         const ThresholdChoice& choice) {
  const std::string seen = fmt::format(
      "the lowest candidate misses {} of {} samples; to show a miss rate of at most {} with "
      "confidence {}",
      misses, samples, limit.max_miss, limit.confidence);
  if (miss_rate(misses, samples) >= limit.max_miss) {
    return seen + " the rate itself must be lower, more samples do not help";
  }
  const std::string needed =
      choice.samples_needed ? fmt::format("{}", *choice.samples_needed) : "more than 1e9";
  if (!choice.allowed_misses) return seen + fmt::format(" it takes {} at this rate", needed);
  return seen + fmt::format(" at most {} may be missed, or it takes {} at this rate",
                            *choice.allowed_misses, needed);
}

}  // namespace

std::optional<std::int64_t> allowed_misses(std::int64_t samples, const MissLimit& limit) {
  check_limit("allowed_misses", limit);
  check_samples("allowed_misses", samples);
  // The first count that fails; all of them missed has p-value 1.
  const std::int64_t first =
      first_good(0, samples, [&](std::int64_t k) { return !passes(k, samples, limit); });
  if (first == 0) return std::nullopt;
  return first - 1;
}

std::int64_t minimum_samples(const MissLimit& limit) {
  check_limit("minimum_samples", limit);
  const double n = std::log(1 - limit.confidence) / std::log1p(-limit.max_miss);
  const auto near = static_cast<std::int64_t>(n);
  return first_good(std::max<std::int64_t>(1, near - 1), near + 2,
                    [&](std::int64_t samples) { return passes(0, samples, limit); });
}

std::optional<std::int64_t> samples_needed(std::int64_t misses, std::int64_t samples,
                                           const MissLimit& limit) {
  check_limit("samples_needed", limit);
  check_samples("samples_needed", samples);
  if (misses < 0 || misses > samples) {
    fail("samples_needed", fmt::format("{} misses; expected 0 to samples = {}", misses, samples));
  }
  const double rate = miss_rate(misses, samples);
  if (rate >= limit.max_miss || samples > kMostSamples) return std::nullopt;
  if (misses == 0) return minimum_samples(limit);

  // With a fractional number of misses the tail P(Bin(N, alpha) <= x) = I_{1-alpha}(N - x, x + 1)
  // falls smoothly in N, and rounding misses up only raises it: no N below `start` can pass.
  const std::int64_t start = first_good(1, kMostSamples, [&](std::int64_t total) {
    const double n = static_cast<double>(total), x = rate * n;
    return passes(beta_survival(limit.max_miss, x + 1, n - x), limit);
  });
  // Rounded up, the tail is a saw: within a tooth the misses stand still and it falls.
  for (std::int64_t first = start; first <= kMostSamples;) {
    const std::int64_t whole = (first * misses + samples - 1) / samples;
    const std::int64_t last = whole * samples / misses;
    const std::int64_t good = first_good(
        first, last + 1, [&](std::int64_t total) { return passes(whole, total, limit); });
    if (good <= last && good <= kMostSamples) return good;
    first = last + 1;
  }
  return std::nullopt;
}

BatchPromise promise_next(std::int64_t samples, std::int64_t allowed, std::int64_t next,
                          double confidence) {
  constexpr auto kFunction = "promise_next";
  constexpr std::int64_t kLargestBatch = 10'000'000;
  check_samples(kFunction, samples);
  if (allowed < 0 || allowed >= samples) {
    fail(kFunction,
         fmt::format("{} misses allowed; expected 0 to below samples = {}", allowed, samples));
  }
  if (next < 1 || next > kLargestBatch) {
    fail(kFunction,
         fmt::format("the next batch has {} samples; expected 1 to {}", next, kLargestBatch));
  }
  const BetaBinomial missed{.trials = next,
                            .a = static_cast<double>(allowed + 1),
                            .b = static_cast<double>(samples - allowed)};
  return {next, beta_binomial_quantile(confidence, missed)};
}

ThresholdChoice choose_threshold(std::int64_t samples, std::span<const std::int64_t> misses,
                                 const MissLimit& limit) {
  check_limit("choose_threshold", limit);
  check_samples("choose_threshold", samples);
  if (misses.empty()) fail("choose_threshold", "no candidates; expected at least one threshold");
  for (std::size_t i = 0; i < misses.size(); ++i) {
    if (misses[i] < 0 || misses[i] > samples) {
      fail("choose_threshold",
           fmt::format("misses[{}] is {}; expected 0 to samples = {}", i, misses[i], samples));
    }
    if (i > 0 && misses[i] < misses[i - 1]) {
      fail("choose_threshold",
           fmt::format("misses[{}] is {} after {}; expected candidates in rising order, where "
                       "misses never fall",
                       i, misses[i], misses[i - 1]));
    }
  }

  ThresholdChoice choice;
  choice.allowed_misses = allowed_misses(samples, limit);
  if (choice.allowed_misses && misses[0] <= *choice.allowed_misses) {
    const auto past = std::upper_bound(misses.begin(), misses.end(), *choice.allowed_misses);
    choice.index = static_cast<std::size_t>(past - misses.begin()) - 1;
    choice.p_value = binomial_cdf(misses[*choice.index], samples, limit.max_miss);
    return choice;
  }
  choice.p_value = binomial_cdf(misses[0], samples, limit.max_miss);
  choice.samples_needed = samples_needed(misses[0], samples, limit);
  choice.refusal = refusal_text(misses[0], samples, limit, choice);
  return choice;
}

}  // namespace openworld
