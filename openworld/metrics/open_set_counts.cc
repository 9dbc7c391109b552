#include "openworld/metrics/open_set_counts.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace openworld {
namespace {

constexpr double kUnit = 0x1p62;

// A fraction in [0, 1] in units of 2^-62; 0/0 is 0.
std::int64_t units(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return 0;
  return static_cast<std::int64_t>(static_cast<double>(part) / static_cast<double>(whole) * kUnit);
}

bool is_open(Kind kind, Side open) {
  return open == Side::kUnknown ? kind == kUnknownKind : kind == kNewRight || kind == kNewWrong;
}

double open_score(double r) {
  return 1 / (1 + std::exp(r));
}

// Whether some k / 100, k = 1 .. 99, lies in [low, high).
bool grid_point_in(double low, double high) {
  int k = std::max(1, static_cast<int>(std::floor(low * 100)) - 1);
  while (k / 100.0 < low) ++k;
  return k <= 99 && k / 100.0 < high;
}

}  // namespace

OpenSetCounts open_set_counts(const KindCounts& totals, const KindCounts& below, Side open) {
  OpenSetCounts counts;
  KindCounts above = totals;
  above -= below;
  counts.tp = above.of[kBaseRight];
  counts.fp = above.of[kBaseWrong] + above.open(open);
  counts.fn = above.of[kBaseWrong] + below.base();
  counts.open_tp = below.open(open);
  counts.open_fp = below.base();
  counts.open_fn = above.open(open);
  return counts;
}

KindCounts rejected_at(const Ranking& ranking, double t) {
  const auto codes = ranking.codes();
  const auto weights = ranking.weights();
  KindCounts below;
  for (std::size_t i = 0; i < codes.size() && ranking.threshold(i) <= t; ++i) {
    below.of[codes[i] & kKindMask] += weights.empty() ? 1 : weights[i];
  }
  return below;
}

ClassCounts::ClassCounts(const Ranking& ranking, Side open)
    : ranking_(&ranking),
      open_(open),
      samples_(ranking.totals().base() + ranking.totals().open(open)),
      counts_(static_cast<std::size_t>(ranking.ranked().outcomes().base_classes) + 1) {
  for (std::size_t rank = 0; rank < ranking.codes().size(); ++rank) {
    const Where s = at(rank);
    if (s.kind == kBaseRight) {
      counts_[s.label].tp += s.weight;
    } else if (s.kind == kBaseWrong) {
      counts_[s.label].fn += s.weight;
      counts_[s.predicted].fp += s.weight;
    } else if (is_open(s.kind, open_)) {
      counts_[s.predicted].fp += s.weight;
      counts_.back().fn += s.weight;
    }
  }
  for (std::size_t c = 0; c + 1 < counts_.size(); ++c) add_terms(counts_[c], +1);
}

void ClassCounts::reject(std::size_t rank) {
  const Where s = at(rank);
  if (s.kind == kBaseRight) {
    move(s.label, {.tp = -s.weight, .fn = s.weight});
    counts_.back().fp += s.weight;
  } else if (s.kind == kBaseWrong) {
    move(s.predicted, {.fp = -s.weight});
    counts_.back().fp += s.weight;
  } else if (is_open(s.kind, open_)) {
    move(s.predicted, {.fp = -s.weight});
    counts_.back().tp += s.weight;
    counts_.back().fn -= s.weight;
  }
}

// The label is read for closed samples only: elsewhere it may be anything.
ClassCounts::Where ClassCounts::at(std::size_t rank) const {
  const RankedScores& ranked = ranking_->ranked();
  const std::size_t row = ranked.order()[rank];
  const auto kind = static_cast<Kind>(ranked.codes()[rank] & kKindMask);
  const bool closed = kind == kBaseRight || kind == kBaseWrong;
  return {.kind = kind,
          .weight = ranking_->weights().empty() ? 1 : ranking_->weights()[rank],
          .label = closed ? static_cast<std::size_t>(ranked.outcomes().label[row]) : 0,
          .predicted = static_cast<std::size_t>(ranked.outcomes().predicted[row])};
}

void ClassCounts::move(std::size_t c, const Counts& by) {
  Counts& counts = counts_[c];
  add_terms(counts, -1);
  counts.tp += by.tp;
  counts.fp += by.fp;
  counts.fn += by.fn;
  add_terms(counts, +1);
}

void ClassCounts::add_terms(const Counts& of, int sign) {
  const std::int64_t negatives = samples_ - of.tp - of.fn;
  precisions_ += sign * units(of.tp, of.tp + of.fp);
  recalls_ += sign * units(of.tp, of.tp + of.fn);
  specificities_ += sign * units(negatives - of.fp, negatives);
}

double ClassCounts::mean(Sum sum) const {
  return static_cast<double>(sum) / kUnit / static_cast<double>(counts_.size() - 1);
}

std::string missing_classes(const Ranking& ranking) {
  const Outcomes& outcomes = ranking.ranked().outcomes();
  if (ranking.ranked().order().empty()) return "needs the order of the rows: rank with kOrder";
  if (outcomes.label.empty() || outcomes.predicted.empty()) {
    return "needs predicted classes: give base_logits, or label and predicted";
  }
  if (outcomes.base_classes == 0) return "needs the number of base classes: give base_classes";
  return {};
}

bool Stops::at(std::size_t rank) const {
  if (!threshold_ && !grid_) return true;
  const bool last = rank + 1 == ranking_->codes().size();
  const double here = ranking_->threshold(rank);
  const double next =
      last ? std::numeric_limits<double>::infinity() : ranking_->threshold(rank + 1);
  if (threshold_) return here <= *threshold_ && (*threshold_ < next || last);
  return grid_point_in(open_score(next), open_score(here));
}

double Stops::threshold(std::size_t rank) const {
  return threshold_ ? *threshold_ : ranking_->threshold(rank);
}

}  // namespace openworld
