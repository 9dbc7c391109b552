#include "openworld/analysis/threshold.h"

#include <cassert>
#include <cmath>
#include <limits>

#include "openworld/base/error.h"

namespace openworld {
namespace {

// Counts of samples with r <= t.
KindCounts count_below(const Ranking& ranking, double t) {
  KindCounts below;
  ranking.for_each_threshold([&](std::size_t rank, const KindCounts& counts) {
    if (rank != Ranking::kBeforeAll && ranking.threshold(rank) > t) return false;
    below = counts;
    return true;
  });
  return below;
}

}  // namespace

double just_below(double score) {
  const auto narrow = static_cast<float>(score);
  if (static_cast<double>(narrow) == score) {
    return std::nextafter(narrow, -std::numeric_limits<float>::infinity());
  }
  return std::nextafter(score, -std::numeric_limits<double>::infinity());
}

Share share_of(std::int64_t count, std::int64_t total, double level) {
  return {count, total, static_cast<double>(count) / static_cast<double>(total),
          clopper_pearson_interval(count, total, level)};
}

GuaranteedThreshold guarantee_threshold(const Ranking& ranking, const MissLimit& limit,
                                        std::int64_t next) {
  assert(ranking.weights().empty());
  const KindCounts& totals = ranking.totals();
  if (totals.base() == 0) fail("threshold", "no base samples; the guarantee is about them");
  GuaranteedThreshold result;
  result.limit = limit;
  result.base = totals.base();
  result.wrong = totals.of[kBaseWrong];
  const ThresholdChoice choice = choose_threshold(result.base, {&result.wrong, 1}, limit);
  result.refusal = choice.refusal;
  result.samples_needed = choice.samples_needed;
  if (!choice.index) return result;
  result.allowed_misses = *choice.allowed_misses;
  if (next != 0) {
    result.next = promise_next(result.base, result.allowed_misses, next, limit.confidence);
  }

  // The first right base sample whose miss would be one too many; beyond the last, any t will do.
  result.threshold = ranking.threshold(ranking.ranked().size() - 1);
  ranking.for_each_threshold([&](std::size_t rank, const KindCounts& below) {
    if (result.wrong + below.of[kBaseRight] <= result.allowed_misses) return true;
    result.threshold = just_below(ranking.threshold(rank));
    return false;
  });
  const KindCounts below = count_below(ranking, result.threshold);
  result.miss = share_of(result.wrong + below.of[kBaseRight], result.base, limit.confidence);
  if (totals.new_samples() > 0) {
    result.hit = share_of(below.of[kNewRight], totals.new_samples(), limit.confidence);
  }
  if (totals.unknown() > 0) {
    result.reject = share_of(below.unknown(), totals.unknown(), limit.confidence);
  }
  return result;
}

}  // namespace openworld
