#include "openworld/metrics/normalised_accuracy.h"

#include <limits>
#include <string>
#include <string_view>

#include "openworld/metrics/open_set_counts.h"
#include "openworld/metrics/two_sides.h"

namespace openworld {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

constexpr std::string_view kNoClasses = "needs the number of base classes: give base_classes";

double known(const OpenSetCounts& c, std::int32_t classes) {
  return 1 - static_cast<double>(c.fp + c.fn) /
                 (static_cast<double>(classes) * static_cast<double>(c.samples()));
}

// NaN where nothing is rejected.
double unknown(const OpenSetCounts& c) {
  const std::int64_t rejected = c.open_tp + c.open_fp;
  return rejected > 0 ? static_cast<double>(c.open_tp) / static_cast<double>(rejected) : kNan;
}

NormalisedAccuracy all_undefined(const std::string& why) {
  return {.aks = undefined(why), .aus = undefined(why), .na = undefined(why)};
}

}  // namespace

NormalisedAccuracy normalised_accuracy(const Ranking& ranking, const MetricOptions& options,
                                       double lambda) {
  const KindCounts& totals = ranking.totals();
  const TwoSides sides = two_sides(kNormalisedAcc, ranking, options);
  const std::int32_t classes = ranking.ranked().outcomes().base_classes;
  if (sides.empty()) return all_undefined(sides.missing());

  std::optional<double> t = options.threshold;
  if (!t) {
    if (classes == 0) return all_undefined(std::string(kNoClasses));
    const auto na = [&](const KindCounts& below) {
      const OpenSetCounts c = open_set_counts(totals, below, sides.open);
      return lambda * known(c, classes) + (1 - lambda) * unknown(c);
    };
    // The grid of the options belongs to the F-scores.
    t = best_over_thresholds(
            ranking, MetricOptions{}, [](std::size_t) {}, na)
            .threshold;
  }
  const OpenSetCounts counts = open_set_counts(totals, rejected_at(ranking, *t), sides.open);
  NormalisedAccuracy result;
  result.aks = {.value = known(counts, classes), .why = {}, .threshold = t};
  result.aus = {.value = unknown(counts), .why = {}, .threshold = t};
  result.na = {.value = lambda * result.aks.value + (1 - lambda) * result.aus.value,
               .why = {},
               .threshold = t};
  if (classes == 0) result.aks = result.na = undefined(std::string(kNoClasses));
  if (result.aus.value != result.aus.value) {
    result.aus = result.na = undefined("nothing is rejected at the threshold");
  }
  return result;
}

MetricValue aks(const Ranking& ranking, const MetricOptions& options) {
  return normalised_accuracy(ranking, options, kDefaultLambda).aks;
}

MetricValue aus(const Ranking& ranking, const MetricOptions& options) {
  return normalised_accuracy(ranking, options, kDefaultLambda).aus;
}

MetricValue normalised_acc(const Ranking& ranking, const MetricOptions& options) {
  return normalised_accuracy(ranking, options, kDefaultLambda).na;
}

constinit const MetricRow kAks = {
    .info =
        {
            .name = "aks",
            .family = "open-set",
            .title = "AKS",
            .brief = "one-vs-rest accuracy averaged over the closed classes, where NA is best",
            .citation =
                "Mendes Junior et al., Nearest neighbors distance ratio open-set classifier, 2017",
        },
    .positive = Positive::kBase,
    .open = OpenRule::kUnknownFirst,
    .compute = aks,
};

constinit const MetricRow kAus = {
    .info =
        {
            .name = "aus",
            .family = "open-set",
            .title = "AUS",
            .brief = "share of open samples among the rejected ones, where NA is best",
            .citation =
                "Mendes Junior et al., Nearest neighbors distance ratio open-set classifier, 2017",
        },
    .positive = Positive::kOpen,
    .open = OpenRule::kUnknownFirst,
    .compute = aus,
};

constinit const MetricRow kNormalisedAcc = {
    .info =
        {
            .name = "normalised_acc",
            .aliases = "na,nacc,normalized_acc",
            .family = "open-set",
            .title = "Normalised accuracy",
            .brief = "mean of AKS and AUS, at the best threshold",
            .citation =
                "Mendes Junior et al., Nearest neighbors distance ratio open-set classifier, 2017",
        },
    .open = OpenRule::kUnknownFirst,
    .compute = normalised_acc,
};

}  // namespace openworld
