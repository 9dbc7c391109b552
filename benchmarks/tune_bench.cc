// Prompt tuning at ViT-B/16 size with random weights, 50 base classes and 16 shots, with the
// released batch size of each learner; benchmarks/tune.py runs this beside PyTorch. Prints one JSON
// object.
//
//   tune_bench METHOD STEPS   {"seconds_per_step": best, "median":, "steps":, "parameters":,
//                              "gemm_share":, "peak_memory_bytes":}; a step that is not counted
//                              comes
//                             first. gemm_share is the share of the step that large matrix products
//                             of its count of multiplications would take.
//   tune_bench run            a whole run of GMoP, 40 epochs: {"seconds":, "steps":, ...}
//
// Threads: OMP_NUM_THREADS, else all cores.

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/randperm.h>
#include <ATen/record_function.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/threads.h"
#include "openworld/io/run_cost.h"
#include "openworld/learners/table.h"
#include "openworld/learners/trainer.h"
#include "openworld/vlm/freed_memory.h"
#include "openworld/vlm/index_tensor.h"
#include "openworld/vlm/inner_threads.h"

namespace openworld {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kClasses = 50, kShots = 16;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// ViT-B/16, with its vision tower only where a learner encodes images at every step.
Clip random_clip(bool with_vision) {
  ClipConfig config = vit_b16_config();
  if (!with_vision) config.vision.layers = 0;
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
  const at::Tensor features = at::randn({kClasses * kShots, width});
  episode.features = normalized(features);
  episode.lengths = lengths(features);
  std::vector<std::int64_t> labels;
  for (std::int64_t i = 0; i < kClasses * kShots; ++i) labels.push_back(i / kShots);
  episode.labels = index_tensor(labels);
  return episode;
}

// Bytes.
std::int64_t peak_memory() {
  return RunClock().cost().peak_memory_bytes;
}

// Multiplications of the matrix products that a function makes, on any thread.
double count_products(const std::function<void()>& work) {
  static std::atomic<std::int64_t> count;
  count = 0;
  const auto handle =
      at::addGlobalCallback(at::RecordFunctionCallback([](const at::RecordFunction& function)
                                                           -> std::unique_ptr<at::ObserverContext> {
                              const std::string_view name = function.name();
                              const bool adds = name == "aten::addmm" || name == "aten::baddbmm";
                              if (!adds && name != "aten::mm" && name != "aten::bmm")
                                return nullptr;
                              const at::Tensor left = function.inputs()[adds ? 1 : 0].toTensor();
                              const at::Tensor right = function.inputs()[adds ? 2 : 1].toTensor();
                              count += left.numel() * right.size(-1);
                              return nullptr;
                            }).needsInputs(true));
  work();
  at::removeCallback(handle);
  return static_cast<double>(count);
}

// Multiplications a second of a large product, best of several.
double gemm_rate(int threads) {
  constexpr std::int64_t kSide = 2048;
  const BlasThreads blas(threads);
  const at::Tensor a = at::randn({kSide, kSide}), b = at::randn({kSide, kSide});
  double best = 0;
  for (int i = 0; i < 5; ++i) {
    const auto start = Clock::now();
    at::matmul(a, b);
    best = std::max(best, static_cast<double>(kSide * kSide * kSide) / seconds_since(start));
  }
  return best;
}

// A batch as the trainer would make it, of random images.
Batch random_batch(const Clip& clip, const Episode& episode, const LearnerRow& row,
                   std::int64_t size, std::int64_t step) {
  const at::Tensor chosen = at::randperm(episode.labels.size(0)).narrow(0, 0, size);
  const std::int64_t patches = clip.config.grid() * clip.config.grid();
  Batch batch;
  batch.features = episode.features.index_select(0, chosen);
  batch.lengths = episode.lengths.index_select(0, chosen);
  batch.labels = episode.labels.index_select(0, chosen);
  batch.step = step;
  if (row.input == ImageInput::kPatches) {
    batch.local = normalized(at::randn({size, patches, clip.config.embed}));
  } else if (row.input == ImageInput::kPatchStates) {
    batch.local = at::randn({size, patches, clip.config.vision.width});
  } else if (row.input == ImageInput::kPixels) {
    const std::int64_t side = clip.config.preprocessing.image_size;
    batch.pixels = at::randn({size, 3, side, side});
  }
  return batch;
}

std::int64_t parameters_of(const Learner& learner) {
  std::int64_t sum = 0;
  for (const auto& [name, tensor] : learner.parameters()) sum += tensor.numel();
  return sum;
}

void run_whole(Learner& learner, const Episode& episode) {
  Trainer trainer(learner, episode, 1);
  const auto start = Clock::now();
  while (!trainer.done()) {
    const TrainStep step = trainer.run_step();
    if (step.ends_epoch) {
      fmt::print(stderr, "epoch {} of {}, {:.0f} s\n", trainer.epoch(), trainer.epochs(),
                 seconds_since(start));
    }
  }
  fmt::print(R"({{"seconds": {:.3f}, "steps": {}, "parameters": {}, "peak_memory_bytes": {}}})"
             "\n",
             seconds_since(start), trainer.step(), parameters_of(learner), peak_memory());
}

void run_steps(Learner& learner, const LearnerRow& row, const Clip& clip, const Episode& episode,
               std::int64_t steps, int threads) {
  const Stage stage = learner.stages()[0];
  NamedTensors tuned;
  for (const std::string& name : stage.parameters) tuned[name] = learner.parameters().at(name);
  Optimizer optimizer(tuned, stage.optimizer);
  learner.begin_stage(0, episode);
  std::vector<double> times;
  for (std::int64_t i = 0; i <= steps; ++i) {
    const Batch batch = random_batch(clip, episode, row, stage.batch, i);
    const auto begin = Clock::now();
    {
      // As the trainer: what is between the encoders is small.
      const OpenMpThreads open_mp(1);
      const BlasThreads blas(1);
      learner.backward(0, batch);
      optimizer.step(stage.lr);
    }
    if (i > 0) times.push_back(seconds_since(begin));
  }
  // The products of the fastest step: those of ProDA, which draws prompts, differ.
  const std::int64_t fastest = 1 + (std::ranges::min_element(times) - times.begin());
  std::sort(times.begin(), times.end());
  const double products = count_products(
      [&] { learner.backward(0, random_batch(clip, episode, row, stage.batch, fastest)); });
  const double share = products / gemm_rate(threads) / times.front();
  fmt::print(
      R"({{"seconds_per_step": {:.6f}, "median": {:.6f}, "steps": {}, "parameters": {}, "gemm_share": {:.4f}, "peak_memory_bytes": {}}})"
      "\n",
      times.front(), times[times.size() / 2], steps, parameters_of(learner), share, peak_memory());
}

void run(const std::string& what, std::int64_t steps) {
  keep_freed_memory();
  at::manual_seed(1);
  const char* const asked = std::getenv("OMP_NUM_THREADS");
  const int threads = asked ? std::atoi(asked) : default_threads();
  const LearnerRow& row = find_learner(what == "run" ? "gmop" : what);
  const Clip clip = random_clip(row.input == ImageInput::kPixels);
  const Tokenizer tokenizer(parse_merges("#version: 0.2\n", 514, {"tune_bench", ""}));
  const TuningTask task = {
      .text_model = {&clip, &tokenizer, {}, threads},
      .base_names = names(),
      .sentences = {.templates = {"qrst{}."}, .ensemble = {"qrst{}."}, .plain_words = "qrst"}};
  const auto options = row.options();
  OptionList list;
  options->declare(list);
  // The teacher's sentences are computed once, before the steps.
  if (list.has("teacher")) list.set("teacher=template", "tune_bench");
  const auto learner = options->make(task);
  const Episode episode = random_episode(clip.config.embed);
  if (what == "run") {
    run_whole(*learner, episode);
  } else {
    run_steps(*learner, row, clip, episode, steps, threads);
  }
}

}  // namespace
}  // namespace openworld

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const bool step = argc == 3 && std::atoi(argv[2]) > 0;
  if (!step && !(what == "run" && argc == 2)) {
    fmt::print(stderr, "usage: tune_bench METHOD STEPS | run\n");
    return 2;
  }
  openworld::run(what, step ? std::atoi(argv[2]) : 0);
}
