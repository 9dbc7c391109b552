// Times the metrics core and prints one JSON object per line; benchmarks/metrics.py sets it beside
// its rivals. usage: metrics_bench REPEATS ROWS...

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <vector>

#include "openworld/base/random.h"
#include "openworld/base/sort.h"
#include "openworld/metrics/evaluate.h"

namespace openworld {
namespace {

constexpr const char* kRanking =
    "openworld_auc,open_auc,auroc,oscr,aupr_base,aupr_new,fpr_at_95tpr";

// CLIP-like: float32 logits around 25, or the probabilities they turn into.
struct Data {
  std::vector<std::int8_t> side;
  std::vector<float> score;
  std::vector<std::uint8_t> correct;

  Data(std::size_t rows, bool probabilities) : side(rows), score(rows), correct(rows) {
    Random random(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      side[i] = static_cast<std::int8_t>(random.next() & 1);
      const double logit = 25 + 3 * random.normal() - 3 * side[i];
      score[i] = static_cast<float>(probabilities ? 1 / (1 + std::exp(23.5 - logit)) : logit);
      correct[i] = random.uniform() < 0.8;
    }
  }
  Outcomes outcomes() const {
    Outcomes o;
    o.side = side;
    o.score = BaseScores::larger_is_base(std::span<const float>(score));
    o.correct = correct;
    return o;
  }
};

double best_of(int repeats, const std::function<void()>& prepare, const std::function<void()>& f) {
  double best = 1e300;
  for (int i = 0; i < repeats; ++i) {
    prepare();
    const auto start = std::chrono::steady_clock::now();
    f();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    best = std::min(best, seconds.count());
  }
  return best;
}

void report(const char* what, const char* scores, std::size_t rows, double seconds) {
  fmt::print(R"({{"what": "{}", "scores": "{}", "rows": {}, "seconds": {:.9f}}})"
             "\n",
             what, scores, rows, seconds);
  std::fflush(stdout);
}

void time_size(std::size_t rows, bool probabilities, int repeats) {
  const char* scores = probabilities ? "probabilities" : "logits";
  const Data data(rows, probabilities);
  const Outcomes outcomes = data.outcomes();
  const auto nothing = [] {};

  std::vector<std::uint32_t> keys(rows);
  const auto fill = [&] {
    for (std::size_t i = 0; i < rows; ++i) {
      keys[i] = static_cast<std::uint32_t>(std::bit_cast<std::int32_t>(data.score[i]));
    }
  };
  report("bare sort", scores, rows, best_of(repeats, fill, [&] { sort_words(std::span(keys)); }));
  report("std::sort", scores, rows,
         best_of(std::min(repeats, 3), fill, [&] { std::sort(keys.begin(), keys.end()); }));

  const auto requests = find_metrics(kRanking);
  const auto time_eval = [&](const char* what, std::span<const MetricRequest> wanted, Ci ci,
                             int threads) {
    EvalOptions options{.ci = ci};
    options.bootstrap.threads = threads;
    report(what, scores, rows,
           best_of(repeats, nothing, [&] { evaluate(outcomes, wanted, options); }));
  };
  time_eval("ranking metrics, 1 thread", requests, Ci::kNone, 1);
  time_eval("ranking metrics, all threads", requests, Ci::kNone, 0);
  const auto pairs = find_metrics("openworld_auc,open_auc,auroc");
  time_eval("pair metrics", pairs, Ci::kNone, 1);
  time_eval("pair metrics with DeLong", pairs, Ci::kDelong, 1);
}

void time_bootstrap(std::size_t rows, int resamples) {
  const Data data(rows, false);
  const auto requests = find_metrics("openworld_auc,open_auc,auroc");
  for (const int threads : {1, 0}) {
    EvalOptions options{.ci = Ci::kBootstrap};
    options.bootstrap.kind = BootstrapKind::kPercentile;
    options.bootstrap.resamples = resamples;
    options.bootstrap.threads = threads;
    const double seconds = best_of(
        3, [] {}, [&] { evaluate(data.outcomes(), requests, options); });
    report(threads == 1 ? "bootstrap, 1 thread" : "bootstrap, all threads", "logits", rows,
           seconds);
  }
}

}  // namespace
}  // namespace openworld

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: metrics_bench REPEATS ROWS...\n");
    return 2;
  }
  const int repeats = std::atoi(argv[1]);
  for (int i = 2; i < argc; ++i) {
    const auto rows = static_cast<std::size_t>(std::atof(argv[i]));
    for (const bool probabilities : {false, true}) {
      openworld::time_size(rows, probabilities, repeats);
    }
  }
  openworld::time_bootstrap(140000, 1000);
}
