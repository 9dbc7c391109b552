#pragma once

// The second threshold of three answers: base, new or unknown.
//
//   base     if r > t
//   unknown  if not, and fit <= u
//   new      else
//
// t is the threshold with a guaranteed miss rate (threshold.h). `fit` says how well any listed name
// fits, larger is better. u is chosen on the listed samples, base and new, as t is on the base ones
// (binomial_threshold.h), with "called unknown" in place of "missed":
//
//   P(fit <= u) <= beta for listed samples, with confidence 1 - delta.
//
// A sample is called unknown only if fit <= u, so that at most beta of listed samples are, whatever
// t is; and as r decides first, the promise about base samples stays as it is. Neither threshold
// depends on the unknown samples, so the share of them that is called unknown has an exact
// interval.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "openworld/analysis/threshold.h"
#include "openworld/metrics/outcomes.h"

namespace openworld {

struct UnknownLimit {
  double max_unknown = 0.05;  // beta, from 1e-9 to below 1
  double confidence = 0.95;   // 1 - delta, between 0 and 1
};

// How many samples of a side get each answer.
struct AnswerCounts {
  std::int64_t base = 0, new_side = 0, unknown = 0;
};

struct UnknownThreshold {
  UnknownLimit limit{};
  std::int64_t listed = 0;                       // samples
  std::string refusal{};                         // why no threshold has the guarantee, or empty
  std::optional<std::int64_t> samples_needed{};  // listed samples that would do

  // The rest is meaningful when there is no refusal.
  double threshold = 0;             // u
  std::int64_t allowed = 0;         // k*: listed samples that may have fit <= u
  Share unfit{};                    // listed samples with fit <= u
  std::optional<Share> kept_out{};  // unknown samples called unknown; none without such samples
  AnswerCounts of_base{}, of_new{}, of_unknown{};
  std::optional<BatchPromise> next{};  // of listed samples, where a batch was asked for

  bool granted() const { return refusal.empty(); }
};

// The answer to a sample.
Side answer_of(double r, double fit, double t, double u);

// `fit` has an entry for each of the outcomes, `t` is the threshold on r, `next` the listed samples
// of a batch to come or 0. Throws Error if there is no listed sample, a fit is not finite, or the
// limit is not one.
UnknownThreshold guarantee_unknown(const Outcomes& outcomes, std::span<const double> fit, double t,
                                   const UnknownLimit& limit, std::int64_t next = 0);

}  // namespace openworld
