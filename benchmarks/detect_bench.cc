// Times the evaluation of detections on one thread and prints a line "what milliseconds" for each,
// then "stats" with the twelve numbers; benchmarks/detect.py sets them beside their rival.
// usage: detect_bench REPEATS ANNOTATIONS RESULTS

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <vector>

#include "openworld/detection/coco_reader.h"
#include "openworld/detection/coco_resampling.h"
#include "openworld/stats/resampler.h"

int main(int argc, char** argv) {
  using namespace openworld;
  if (argc != 4) return 2;
  const int repeats = std::atoi(argv[1]);
  const auto time = [&](const char* what, const auto& f) {
    double best = 1e300;
    for (int i = 0; i < repeats; ++i) {
      const auto start = std::chrono::steady_clock::now();
      f();
      const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
      best = std::min(best, ms.count());
    }
    fmt::print("{} {}\n", what, best);
  };
  CocoAnnotations annotations;
  CocoResults results;
  CocoParams params;
  params.threads = 1;
  std::vector<CategoryMatches> matches;
  std::array<double, kCocoStats> stats{};
  time("read_annotations", [&] {
    annotations = read_coco_annotations({{"detect_bench", argv[2]}}, IouType::kBox);
  });
  time("read_results", [&] {
    results = read_coco_results({{"detect_bench", argv[3]}}, annotations, {});
  });
  time("match", [&] { matches = match_detections(annotations, results, params); });
  time("accumulate", [&] { stats = coco_stats(accumulate(matches, params), params); });
  time("evaluate", [&] {
    const auto found = match_detections(annotations, results, params);
    stats = coco_stats(accumulate(found, params), params);
  });
  const CocoResampling resampling(matches, params);
  const std::size_t images = annotations.images.size();
  const Resampler resampler(std::vector<std::uint8_t>(images, 0), 0);
  std::vector<std::uint8_t> weights(images);
  std::vector<double> values(resampling.statistics());
  std::uint64_t draw = 0;
  time("resample", [&] {
    resampler.draw(draw++, weights);
    resampling.evaluate(weights, values);
  });
  fmt::print("stats {}\n", fmt::join(stats, " "));
}
