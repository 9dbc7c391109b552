// Prompt tuning at ViT-B/16 size with random weights, 50 base classes, 16 shots and batches of 32;
// benchmarks/tune.py runs this beside PyTorch. Prints one JSON object.
//
//   tune_bench gmop|coop STEPS   {"seconds_per_step": best, "median":, "steps":, "parameters":,
//                                 "peak_memory_bytes":}; a step that is not counted comes first
//   tune_bench run               a whole run of GMoP, 40 epochs: {"seconds":, "steps":, ...}
//
// Threads: OMP_NUM_THREADS, else all cores.

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/randn.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/threads.h"
#include "openworld/learners/table.h"
#include "openworld/learners/trainer.h"
#include "openworld/vlm/freed_memory.h"
#include "openworld/vlm/index_tensor.h"

namespace openworld {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kClasses = 50, kShots = 16;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// ViT-B/16 with its text tower only: features of images are computed once and not measured here.
Clip random_clip() {
  ClipConfig config = vit_b16_config();
  config.vision.layers = 0;
  return make_clip(config, [](const TensorSpec& spec) {
    const std::int64_t fan_in = spec.shape.empty() ? 1 : spec.shape.back();
    return at::randn(spec.shape) / std::sqrt(static_cast<double>(fan_in));
  });
}

// Words of 1, 2, 2, 3, 1, ... tokens in a vocabulary of single letters, as many as those of
// tune.py's names.
std::vector<std::string> names() {
  std::vector<std::string> result;
  for (std::int64_t c = 0; c < kClasses; ++c) {
    constexpr std::size_t kTokens[] = {1, 2, 2, 3};
    std::string& name = result.emplace_back(kTokens[c % 4], "yz"[c % 2]);
    name[0] = static_cast<char>('a' + c / 2);
  }
  return result;
}

Episode random_episode(std::int64_t width) {
  Episode episode;
  episode.features = normalized(at::randn({kClasses * kShots, width}));
  std::vector<std::int64_t> labels;
  for (std::int64_t i = 0; i < kClasses * kShots; ++i) labels.push_back(i / kShots);
  episode.labels = index_tensor(labels);
  return episode;
}

std::int64_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != "VmHWM:") continue;
    std::int64_t kib = 0;
    status >> kib;
    return kib * 1024;
  }
  return 0;
}

void run(const std::string& what, std::int64_t steps) {
  keep_freed_memory();
  at::manual_seed(1);
  const char* const threads = std::getenv("OMP_NUM_THREADS");
  const Clip clip = random_clip();
  const Tokenizer tokenizer(parse_merges("#version: 0.2\n", 514, {"tune_bench", ""}));
  const TuningTask task = {
      .text_model = {&clip, &tokenizer, {}, threads ? std::atoi(threads) : default_threads()},
      .base_names = names(),
      .templates = {"a photo of a {}."},
      .template_set = "",
      .ensemble = {}};
  const bool whole = what == "run";
  const auto options = find_learner(whole ? "gmop" : what).options();
  const auto learner = options->make(task);
  const Episode episode = random_episode(clip.config.embed);
  std::int64_t parameters = 0;
  for (const auto& [name, tensor] : learner->parameters()) parameters += tensor.numel();
  Trainer trainer(*learner, episode, 1);
  const auto start = Clock::now();
  if (whole) {
    while (!trainer.done()) {
      const TrainStep step = trainer.run_step();
      if (step.ends_epoch) {
        fmt::print(stderr, "epoch {} of {}, {:.0f} s\n", trainer.epoch(), trainer.epochs(),
                   seconds_since(start));
      }
    }
    fmt::print(R"({{"seconds": {:.3f}, "steps": {}, "parameters": {}, "peak_memory_bytes": {}}})",
               seconds_since(start), trainer.step(), parameters, peak_memory());
  } else {
    std::vector<double> times;
    trainer.run_step();
    for (std::int64_t i = 0; i < steps; ++i) {
      const auto begin = Clock::now();
      trainer.run_step();
      times.push_back(seconds_since(begin));
    }
    std::sort(times.begin(), times.end());
    fmt::print(
        R"({{"seconds_per_step": {:.6f}, "median": {:.6f}, "steps": {}, "parameters": {}, "peak_memory_bytes": {}}})",
        times.front(), times[times.size() / 2], steps, parameters, peak_memory());
  }
  fmt::print("\n");
}

}  // namespace
}  // namespace openworld

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const bool step = (what == "gmop" || what == "coop") && argc == 3 && std::atoi(argv[2]) > 0;
  if (!step && !(what == "run" && argc == 2)) {
    fmt::print(stderr, "usage: tune_bench gmop|coop STEPS | run\n");
    return 2;
  }
  openworld::run(what, step ? std::atoi(argv[2]) : 0);
}
