#include <cstdio>

#include "openworld/checkpoint/clip_config.h"
#include "openworld/metrics/evaluate.h"
#include "openworld/predictions/predictions.h"
#include "openworld/worlds/dataset.h"

int main(int, char** argv) {
  openworld::ClipConfig config;
  config.patch = 16;
  if (openworld::clip_tensors(config).empty()) return 1;
  const auto predictions = openworld::load_predictions(argv[1]);
  const auto requests = openworld::find_metrics("openworld_auc");
  const auto result = openworld::evaluate(predictions.outcomes(), requests).metrics[0];
  std::printf("%.6f [%.6f, %.6f]\n", result.value.value, result.interval->low,
              result.interval->high);
}
