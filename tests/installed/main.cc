#include <cstdio>

#include "openworld/io/predictions.h"
#include "openworld/metrics/evaluate.h"

int main(int, char** argv) {
  const auto predictions = openworld::load_predictions(argv[1]);
  const auto requests = openworld::find_metrics("openworld_auc");
  const auto result = openworld::evaluate(predictions.outcomes(), requests).metrics[0];
  std::printf("%.6f [%.6f, %.6f]\n", result.value.value, result.interval->low,
              result.interval->high);
}
