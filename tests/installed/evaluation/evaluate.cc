// Evaluates a prediction file: metrics with intervals, and a threshold with a guarantee.

#include "openworld/predictions.h"

#include <cstdio>

#include "openworld/analysis.h"
#include "openworld/metrics.h"

int main(int argc, char** argv) try {
  if (argc != 2) return std::fputs("usage: evaluate PREDICTIONS\n", stderr), 2;
  const openworld::Predictions predictions = openworld::load_predictions(argv[1]);
  const auto requests = openworld::find_metrics("openworld_auc,auroc,base_acc,new_acc");
  const openworld::Evaluation result = openworld::evaluate(predictions.outcomes(), requests);
  for (const openworld::MetricResult& metric : result.metrics) {
    const char* name = metric.request.name.c_str();
    if (!metric.value.defined()) {
      std::printf("%s undefined: %s\n", name, metric.value.why.c_str());
    } else if (metric.interval) {
      std::printf("%s %.6f [%.6f, %.6f]\n", name, metric.value.value, metric.interval->low,
                  metric.interval->high);
    }
  }

  const openworld::RankedScores ranked(predictions.outcomes());
  const openworld::GuaranteedThreshold threshold = openworld::guarantee_threshold(
      openworld::Ranking(ranked), {.max_miss = 0.3, .confidence = 0.95});
  if (threshold.granted()) std::printf("threshold %.17g\n", threshold.threshold);
} catch (const openworld::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
