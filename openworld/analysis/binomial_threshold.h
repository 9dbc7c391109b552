#pragma once

// Which thresholds on the score keep the miss rate of base samples at or below alpha, with
// confidence 1 - delta. Pure counting; docs/threshold-theory.md has examples.
//
// A base sample is missed at threshold t when r <= t (taken for new) or its class is wrong. Let
// s = r where the class is right and s = -infinity where it is wrong: it is missed at t exactly
// when s <= t. F(t) = P(s <= t) is the miss rate, k(t) the number of n independent samples with s
// <= t; neither ever falls as t rises.
//
// Theorem. Let k* be the largest k with P(Bin(n, alpha) <= k) <= delta. Then
//     P( some t has k(t) <= k* and F(t) > alpha ) <= delta.
// Hence any t-hat with k(t-hat) <= k*, however it was found, has P(F(t-hat) > alpha) <= delta.
//
// Proof. Let q = inf{t : F(t) > alpha}. F is right-continuous, so F(q) >= alpha. If k(t) <= k* and
// F(t) > alpha then t >= q, so k(q) <= k(t) <= k*. But q is a fixed number: k(q) ~ Bin(n, F(q))
// with F(q) >= alpha, and P(k(q) <= k*) <= P(Bin(n, alpha) <= k*) <= delta. []
//
// So candidates may be score values of the same samples, with ties, atoms and wrong samples: the
// proof looks at one point, q, which the data do not choose. It is fixed-sequence testing: walk up
// from the fewest misses, test "miss rate > alpha" by P(Bin(n, alpha) <= k), stop at the first
// failure; no correction for many tests, as the first true hypothesis met is rejected with
// probability at most delta (Angelopoulos et al., "Learn then Test", 2021). As k is monotone,
// nothing after the first failure would pass, and one comparison with k* does the walk.
//
// Strictness. k counts s <= t, the sample at t included. The sharpest candidate lies just below the
// (k*+1)-th smallest s, not at it; for continuous s without wrong samples its miss rate is
// Beta(k*+1, n-k*), so P(F > alpha) = P(Bin(n, alpha) <= k*) exactly (Wilks, 1941). More than k*
// wrong samples: no threshold passes.
//
// It needs samples independent of each other, drawn like those to come, and not used to tune. The
// bound is the alpha asked for before looking; one read off the chosen candidate is not guaranteed.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace openworld {

struct MissLimit {
  double max_miss = 0.05;    // alpha, from 1e-9 to below 1
  double confidence = 0.95;  // 1 - delta, between 0 and 1
};

// k*: how many of `samples` may be missed; none when not even zero misses would be evidence.
std::optional<std::int64_t> allowed_misses(std::int64_t samples, const MissLimit& limit);

// The smallest number of samples that is evidence without a miss: (1 - alpha)^n <= delta. 59 for
// 0.05 with confidence 0.95.
std::int64_t minimum_samples(const MissLimit& limit);

// The smallest N such that N samples missing at the rate misses/samples, rounded up to a whole
// miss, pass. None when the rate is not below alpha (no number helps) or N would exceed 1e9.
std::optional<std::int64_t> samples_needed(std::int64_t misses, std::int64_t samples,
                                           const MissLimit& limit);

// What holds for a batch of samples to come: with confidence 1 - delta over the draws of the
// samples that chose the threshold and of the batch, at most `most` of its `samples` are missed.
struct BatchPromise {
  std::int64_t samples = 0;
  std::int64_t most = 0;
};

// The promise for the next `next` samples at a threshold that lies below the (k+1)-th smallest s of
// n, k = `allowed`. A sample of the batch that is missed is smaller than that one; with ties broken
// at random the number of those is beta-binomial, whatever the distribution, by exchangeability
// alone (docs/threshold-theory.md). Throws Error unless 0 <= allowed < samples and 1 <= next <=
// 1e7.
BatchPromise promise_next(std::int64_t samples, std::int64_t allowed, std::int64_t next,
                          double confidence);

struct ThresholdChoice {
  std::optional<std::size_t> index{};            // the largest candidate that passes
  std::optional<std::int64_t> allowed_misses{};  // k*
  double p_value = 1;                            // of that candidate; of the first when none passes
  std::optional<std::int64_t> samples_needed{};  // when none passes and more samples would help
  std::string refusal{};                         // why none passes; empty when one does
};

// `misses[i]` of `samples` are missed at candidate i; candidates in rising order of threshold, so
// misses never fall. Throws Error when they do, when one is outside 0 to samples, or when there is
// no candidate or no sample. O(log n) binomial tails.
ThresholdChoice choose_threshold(std::int64_t samples, std::span<const std::int64_t> misses,
                                 const MissLimit& limit);

}  // namespace openworld
