// Times of the open-set pass, for benchmarks/openset.py:
//
//   openset_bench features IMAGES CLASSES NEGATIVES WIDTH REPEATS     best of REPEATS, as JSON
//   openset_bench logits FILE.npz REPEATS
//
// "product" is the bare matrix product over the same tiles by the same OpenBLAS, as many threads.

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "openworld/base/random.h"
#include "openworld/base/threads.h"
#include "openworld/openset/matrix_product.h"
#include "openworld/openset/open_set_arrays.h"
#include "openworld/openset/outcome_metrics.h"

namespace openworld {
namespace {

double seconds_of(const auto& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double best_of(int repeats, const auto& f) {
  double best = seconds_of(f);
  for (int r = 1; r < repeats; ++r) best = std::min(best, seconds_of(f));
  return best;
}

Matrix random_features(std::size_t rows, std::size_t width, std::uint64_t seed) {
  std::vector<float> values(rows * width);
  parallel_for(rows, 0, [&](std::size_t i) {
    Random random(seed, i);
    for (std::size_t j = 0; j < width; ++j) {
      values[i * width + j] = static_cast<float>(random.normal());
    }
  });
  return {make_column(std::move(values)), rows, width, false};
}

OpenSetPlan plan_of(std::int32_t classes, std::vector<std::int32_t> counts) {
  OpenSetPlan plan;
  plan.measures = find_uncertainties("published", OutputActivation::kSoftmax);
  plan.classes = classes;
  plan.counts = std::move(counts);
  return plan;
}

// Everything but intervals, which the rival has not.
void measure(const OpenSetScores& scores) {
  for (const OpenSetTest& test : scores.by_extra) {
    measure_test(test, scores, ErrorKind::kOpenSet, {.kind = OpenSetCi::kNone, .bootstrap = {}});
  }
}

// The product alone, tile by tile into the same memory again.
double product_seconds(const Matrix& images, const Matrix& queries, std::size_t height,
                       int repeats) {
  const float* a = std::get<Column<float>>(images.values).values.data();
  const float* b = std::get<Column<float>>(queries.values).values.data();
  const std::size_t tiles = (images.rows + height - 1) / height;
  return best_of(repeats, [&] {
    const auto workers = static_cast<std::size_t>(default_threads());
    std::atomic<std::size_t> next = 0;
    parallel_for(workers, static_cast<int>(workers), [&](std::size_t) {
      const SingleThreadedProducts guard;
      std::vector<float> tile(height * queries.rows);
      for (std::size_t t; (t = next.fetch_add(1)) < tiles;) {
        const std::size_t begin = t * height, count = std::min(height, images.rows - begin);
        multiply_by_transposed(a + begin * images.columns, b, tile.data(), count, queries.rows,
                               images.columns, 100.0F);
      }
    });
  });
}

// Of this program; getrusage would count the memory of the script that started it.
double peak_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

void bench_features(std::size_t images, std::size_t classes, std::size_t negatives,
                    std::size_t width, int repeats) {
  const Origin origin{"bench", "features"};
  const Matrix of_images = random_features(images, width, 1);
  const Matrix queries = random_features(classes + negatives, width, 2);
  std::vector<std::int32_t> label(images);
  for (std::size_t i = 0; i < images; ++i) label[i] = static_cast<std::int32_t>(i % classes);
  const auto source =
      feature_logits({of_images, "images", origin}, {{queries, "queries", origin}}, {});
  std::vector<std::int32_t> counts;
  if (negatives > 0) counts = {10, 50, 100, 250, 500, 1000, 2000, 2500, 4000};
  const OpenSetPlan plan = plan_of(static_cast<std::int32_t>(classes), counts);
  OpenSetScores scores;
  const double pass =
      best_of(repeats, [&] { scores = run_open_set(*source, label, plan, origin); });
  const double metrics = best_of(repeats, [&] { measure(scores); });
  const double product = product_seconds(of_images, queries, source->tile_rows(), repeats);
  fmt::print(R"({{"pass": {}, "metrics": {}, "product": {}, "threads": {}, "openblas": {}, )"
             R"("peak_mib": {}}})"
             "\n",
             pass, metrics, product, default_threads(), has_openblas(), peak_mib());
}

void bench_logits(const std::string& path, int repeats) {
  const double load = best_of(repeats, [&] { load_logits(path); });
  const double all = best_of(repeats, [&] {
    const OpenSetInput input = load_logits(path);
    run_open_set(*input.source, input.label.values, plan_of(input.classes, {}), input.origin);
  });
  fmt::print(R"({{"load": {}, "load_and_pass": {}, "peak_mib": {}}})"
             "\n",
             load, all, peak_mib());
}

}  // namespace
}  // namespace openworld

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() == 6 && args[0] == "features") {
    openworld::bench_features(std::stoul(args[1]), std::stoul(args[2]), std::stoul(args[3]),
                              std::stoul(args[4]), std::stoi(args[5]));
  } else if (args.size() == 3 && args[0] == "logits") {
    openworld::bench_logits(args[1], std::stoi(args[2]));
  } else {
    fmt::print(stderr,
               "usage: openset_bench features IMAGES CLASSES NEGATIVES WIDTH REPEATS | "
               "logits FILE REPEATS\n");
    return 2;
  }
  return 0;
}
