#pragma once

// The counts behind open-set F, Youden's J, normalised accuracy, TP and OSE.
//
// Closed samples are the base samples, open samples those of the open side. There are C closed
// classes and the open class C+1, each counted against the rest. At threshold t a sample is
// accepted iff r > t, and then
//
//   closed, accepted, right   TP_y
//   closed, accepted, wrong   FP_p and FN_y          y the true class, p the class g predicts
//   closed, rejected          FN_y and FP_{C+1}
//   open, accepted            FP_p and FN_{C+1}
//   open, rejected            TP_{C+1}
//
// Right and wrong are the flags of the outcomes, so counts with and without classes agree.
//
// Wang et al., "OpenAUC: Towards AUC-Oriented Open-Set Recognition", NeurIPS 2022, section 3.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "openworld/metrics/metric.h"

namespace openworld {

// Pooled over the closed classes, and the open class by itself. No labels are needed.
struct OpenSetCounts {
  std::int64_t tp = 0, fp = 0, fn = 0;                 // closed classes
  std::int64_t open_tp = 0, open_fp = 0, open_fn = 0;  // class C+1

  std::int64_t samples() const { return tp + fn + open_tp + open_fn; }
};

// At the threshold that rejects `below` out of `totals`.
OpenSetCounts open_set_counts(const KindCounts& totals, const KindCounts& below, Side open);

// The samples that threshold t rejects: those with r <= t.
KindCounts rejected_at(const Ranking& ranking, double t);

// The counts of each class, carried along a sweep that rejects one sample at a time. O(1) per
// sample, O(C) memory.
class ClassCounts {
 public:
  struct Counts {
    std::int64_t tp = 0, fp = 0, fn = 0;
  };

  // Every sample accepted. REQUIRES: missing_classes(ranking) is empty.
  ClassCounts(const Ranking& ranking, Side open);

  void reject(std::size_t rank);

  // c in 0 .. C; C is the open class.
  const Counts& of(std::size_t c) const { return counts_[c]; }

  // Means over the C closed classes of TP/(TP+FP), TP/(TP+FN) and TN/(TN+FP), where 0/0 is 0.
  double precision() const { return mean(precisions_); }
  double recall() const { return mean(recalls_); }
  double specificity() const { return mean(specificities_); }

 private:
  // Sums of fractions in units of 2^-62. What is taken off is exactly what was added, so a sweep
  // over 10^8 samples drifts no further than one over ten.
  using Sum = __int128;

  struct Where {
    Kind kind;
    std::int64_t weight;
    std::size_t label, predicted;
  };
  Where at(std::size_t rank) const;
  void move(std::size_t c, const Counts& by);
  void add_terms(const Counts& of, int sign);
  double mean(Sum sum) const;

  const Ranking* ranking_;
  Side open_;
  std::int64_t samples_;
  std::vector<Counts> counts_;
  Sum precisions_ = 0, recalls_ = 0, specificities_ = 0;
};

// Why the ranking has no ClassCounts, or nothing when it has.
std::string missing_classes(const Ranking& ranking);

// The thresholds at which a sweep stops, as the options ask: at options.threshold; at the grid of
// the released code; else at -infinity and every score.
//
// The grid is t = 0.01, 0.02, ..., 0.99 on the open score s = sigmoid(-r), which takes r for the
// largest logit, and accepts iff s <= t. Above a logit of 4.6 all s are below 0.01: nothing is
// rejected anywhere on the grid.
class Stops {
 public:
  Stops(const Ranking& ranking, const MetricOptions& options)
      : ranking_(&ranking), threshold_(options.threshold), grid_(options.grid) {}

  // Whether a threshold to stop at rejects exactly the samples up to `rank`, the last of a tie.
  bool at(std::size_t rank) const;
  // A t, accepting iff r > t, with that effect.
  double threshold(std::size_t rank) const;

 private:
  const Ranking* ranking_;
  std::optional<double> threshold_;
  bool grid_;
};

// The largest value over the thresholds of the sweep, the lowest threshold where several tie.
// reject(rank) sees each sample of positive weight once, ascending; value(below) is then asked for
// the metric with `below` rejected, NaN where it is undefined.
template <class Reject, class Value>
MetricValue best_over_thresholds(const Ranking& ranking, const MetricOptions& options,
                                 Reject&& reject, Value&& value) {
  const Stops stops(ranking, options);
  const auto codes = ranking.codes();
  const auto weights = ranking.weights();
  MetricValue best = undefined("undefined at the threshold");
  KindCounts below;
  const auto look = [&](std::size_t rank) {
    if (!stops.at(rank)) return;
    const double here = value(static_cast<const KindCounts&>(below));
    if (here > best.value || (!best.defined() && here == here)) {
      best = {.value = here, .why = {}, .threshold = stops.threshold(rank)};
    }
  };
  look(Ranking::kBeforeAll);
  for (std::size_t rank = 0; rank < codes.size(); ++rank) {
    const std::int64_t weight = weights.empty() ? 1 : weights[rank];
    below.of[codes[rank] & kKindMask] += weight;
    if (weight > 0) reject(rank);
    if (codes[rank] & kLastOfTie) look(rank);
  }
  return best;
}

}  // namespace openworld
