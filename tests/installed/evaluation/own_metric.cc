// A metric of one's own, beside those of the table: MissRate at a HitRate, the price in base
// samples of finding a share of the new ones.
//
//   Miss@h = min { MissRate(t) : HitRate(t) >= h }
//
// with MissRate(t) = P(r_b <= t or g wrong) and HitRate(t) = P(r_n <= t and h right).

#include "openworld/metrics.h"

#include <cstdio>

#include "openworld/predictions.h"

namespace {

using namespace openworld;

extern const MetricRow kMissAtHit;

// h is options.params[0]. A Ranking may be a bootstrap resample; weights are in the counts.
MetricValue miss_at_hit(const Ranking& ranking, const MetricOptions& options) {
  const TwoSides sides = two_sides(kMissAtHit, ranking, options);
  if (sides.empty()) return undefined(sides.missing());
  const KindCounts& all = ranking.totals();
  const double hits = options.params[0] * static_cast<double>(sides.other);
  if (static_cast<double>(all.of[kNewRight]) < hits) {
    return undefined("the classifier of new classes is right too rarely");
  }
  MetricValue found;
  // Ascending: the first threshold with enough hits misses the fewest.
  ranking.for_each_threshold([&](std::size_t rank, const KindCounts& below) {
    if (static_cast<double>(below.of[kNewRight]) < hits) return true;
    const std::int64_t missed = all.of[kBaseWrong] + below.of[kBaseRight];
    found = {.value = static_cast<double>(missed) / static_cast<double>(sides.base),
             .threshold = ranking.threshold(rank)};
    return false;
  });
  return found;
}

const MetricRow kMissAtHit = {
    .info = {.name = "miss_at_{}hit",
             .family = "threshold",
             .title = "MissRate at {} % hit",
             .brief = "share of base samples missed or misnamed at a hit rate of new samples",
             .citation = "ours",
             .higher_is_better = false,
             .params = {0.5}},
    .positive = Positive::kBase,
    .open = OpenRule::kNew,
    .compute = miss_at_hit,
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) return std::fputs("usage: own_metric PREDICTIONS\n", stderr), 2;
  const openworld::Predictions predictions = openworld::load_predictions(argv[1]);
  const openworld::MetricRequest request = {&kMissAtHit, {0.5}, "miss_at_50hit"};
  openworld::EvalOptions options;
  options.ci = openworld::Ci::kBootstrap;
  const auto result =
      openworld::evaluate(predictions.outcomes(), {&request, 1}, options).metrics[0];
  if (!result.value.defined()) return std::puts(result.value.why.c_str()), 0;
  std::printf("%s %.6f [%.6f, %.6f]\n", result.request.name.c_str(), result.value.value,
              result.interval->low, result.interval->high);
} catch (const openworld::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
