// Tunes a method on a dataset, and says what the tuned model sees in its test images.

#include "openworld/tuning.h"

#include <cstdio>
#include <string>

int main(int argc, char** argv) try {
  if (argc != 6) return std::fputs("usage: tune METHOD MODEL IMAGES EPOCHS RUN\n", stderr), 2;
  openworld::TuningRequest request{.method = argv[1], .epochs = std::stol(argv[4])};
  request.model.path = argv[2];
  request.data.path = argv[3];
  request.runs = {{.seed = 1, .folder = argv[5]}};

  openworld::TuningObserver observer;
  observer.step = [](const openworld::TrainingProgress& now) {
    std::fprintf(stderr, "step %ld of %ld, loss %.4f\n", now.step, now.steps, now.loss);
  };
  for (const openworld::RunResult& result : openworld::run_tuning(request, observer)) {
    for (const openworld::MetricRecord& metric : result.metrics) {
      std::printf("%s %.6f\n", metric.name.c_str(), metric.value.value_or(0));
    }
  }

  const openworld::TunedModel model = openworld::TunedModel::open(argv[5]);
  const openworld::Dataset images = openworld::open_dataset(argv[3], {.split = "test"});
  std::size_t base = 0;
  const openworld::PredictedImages predicted = model.predict(images);
  for (const openworld::Answer& answer : predicted.answers) {
    base += answer.side == openworld::Side::kBase;
  }
  std::printf("%zu of %zu images are of base classes\n", base, predicted.answers.size());
} catch (const openworld::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
