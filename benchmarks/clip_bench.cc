// The towers at ViT-B/16 size with random weights, one measurement per call; benchmarks/clip.py
// runs this beside PyTorch. Prints one JSON object: seconds (best of REPEATS), what was computed,
// and the peak memory of the process.
//
//   clip_bench coop CLASSES CONTEXT MIB REPEATS   one step: features, loss gradient to the context
//   clip_bench zeroshot TEMPLATES NAMES REPEATS   text features of all prompts
//   clip_bench image BATCH REPEATS                image features
//   clip_bench gemm REPEATS                       the machine's own rate, 2048 x 2048 x 2048
//
// Threads: OMP_NUM_THREADS and OPENBLAS_NUM_THREADS.

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

#include "openworld/base/error.h"
#include "openworld/vlm/clip.h"
#include "openworld/vlm/freed_memory.h"
#include "openworld/vlm/text_encoder.h"

namespace openworld {
namespace {

using at::Tensor;

Clip random_clip(bool vision) {
  ClipConfig config = vit_b16_config();
  if (!vision) config.vision.layers = 0;
  return make_clip(config, [](const TensorSpec& spec) {
    const std::int64_t fan_in = spec.shape.empty() ? 1 : spec.shape.back();
    return at::randn(spec.shape) / std::sqrt(static_cast<double>(fan_in));
  });
}

template <class F>
double best_of(int repeats, F&& f) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    f();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count());
  }
  return best;
}

// Class c has 1, 2, 2 or 3 tokens of its own; benchmarks/clip.py does the same.
std::vector<PromptRow> name_rows(std::int32_t c) {
  constexpr std::int32_t kLengths[] = {1, 2, 2, 3};
  std::vector<PromptRow> rows;
  for (std::int32_t i = 0; i < kLengths[c % 4]; ++i) rows.push_back(token_row(1000 + 10 * c + i));
  return rows;
}

void add_prompt(TextForest& forest, TextForest::Node prefix, std::int32_t c,
                const ClipConfig& config) {
  const TextForest::Node name = forest.add(prefix, name_rows(c));
  const TextForest::Node stop = forest.add(name, token_row(269));
  forest.read(forest.add(stop, token_row(static_cast<std::int32_t>(config.end_of_text()))));
}

TextForest coop_forest(std::int32_t classes, std::int32_t context, const ClipConfig& config) {
  TextForest forest;
  auto prefix =
      forest.add(TextForest::kRoot, token_row(static_cast<std::int32_t>(config.start_of_text())));
  for (std::int32_t i = 0; i < context; ++i) prefix = forest.add(prefix, learnable_row(i));
  for (std::int32_t c = 0; c < classes; ++c) add_prompt(forest, prefix, c, config);
  return forest;
}

// Templates of 4 to 7 words that share their first word, like CLIP's eighty.
TextForest template_forest(std::int32_t templates, std::int32_t names, const ClipConfig& config) {
  TextForest forest;
  const auto start =
      forest.add(TextForest::kRoot, token_row(static_cast<std::int32_t>(config.start_of_text())));
  for (std::int32_t t = 0; t < templates; ++t) {
    auto prefix = forest.add(start, token_row(320));
    for (std::int32_t i = 0; i < 3 + t % 4; ++i)
      prefix = forest.add(prefix, token_row(500 + 8 * t + i));
    for (std::int32_t c = 0; c < names; ++c) add_prompt(forest, prefix, c, config);
  }
  return forest;
}

// Multiply-adds, counted twice, of the linear layers over `rows` rows: the last block's queries and
// MLP only for `reads` of them.
double linear_flops(const TowerConfig& tower, double rows, double reads) {
  const double d = static_cast<double>(tower.width), mlp = static_cast<double>(tower.mlp);
  const double row = 4 * d * d + 2 * d * mlp;
  const double kv = 2 * d * d;
  const double layers = static_cast<double>(tower.layers);
  return 2 * ((layers - 1) * rows * row + rows * kv + reads * (row - kv));
}

// Of this process alone: getrusage would count what it was forked from.
double peak_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::atof(line.c_str() + 6) / 1024;
  }
  return 0;
}

void print(double seconds, double flops, std::size_t rows, std::size_t recomputed = 0) {
  fmt::print(
      "{{\"seconds\": {:.6f}, \"gflops\": {:.2f}, \"rows\": {}, \"recomputed\": {}, "
      "\"threads\": {}, \"peak_mib\": {:.0f}}}\n",
      seconds, flops / seconds / 1e9, rows, recomputed, at::get_num_threads(), peak_mib());
}

void bench_coop(std::int32_t classes, std::int32_t context, std::int64_t mib, int repeats) {
  const Clip clip = random_clip(false);
  const TextForest forest = coop_forest(classes, context, clip.config);
  TextEncoder encoder(clip.text, forest, {mib});
  const Tensor learnable = (at::randn({context, 512}) * 0.02).requires_grad_();
  const Tensor images = normalized(at::randn({32, 512}));
  const Tensor labels = at::zeros({32}, at::kLong);
  const double seconds = best_of(repeats, [&] {
    const Tensor logits = 100 * images.mm(normalized(encoder.features(learnable)).t());
    const Tensor loss = at::cross_entropy_loss(logits, labels);
    torch::autograd::grad({loss}, {learnable});
  });
  const double rows = static_cast<double>(forest.nodes());
  print(seconds, 2 * linear_flops(clip.config.text, rows, classes), forest.nodes(),
        encoder.recomputed_chunks());
}

void bench_zeroshot(std::int32_t templates, std::int32_t names, int repeats) {
  const Clip clip = random_clip(false);
  at::NoGradGuard no_grad;
  std::size_t rows = 0;
  const double seconds = best_of(repeats, [&] {
    const TextForest forest = template_forest(templates, names, clip.config);
    rows = forest.nodes();
    TextEncoder(clip.text, forest).features();
  });
  print(seconds, linear_flops(clip.config.text, static_cast<double>(rows), templates * names),
        rows);
}

void bench_image(std::int64_t batch, int repeats) {
  const Clip clip = random_clip(true);
  at::NoGradGuard no_grad;
  const Tensor images = at::randn({batch, 3, 224, 224});
  encode_images(clip.vision, images);
  const double seconds = best_of(repeats, [&] { encode_images(clip.vision, images); });
  const double rows = static_cast<double>(batch) * 197;
  const double patches = 2.0 * static_cast<double>(batch) * 196 * 768 * 768;
  const double attention = 2.0 * 2 * 11 * static_cast<double>(batch) * 197 * 197 * 768;
  print(seconds,
        linear_flops(clip.config.vision, rows, static_cast<double>(batch)) + patches + attention,
        static_cast<std::size_t>(rows));
}

void bench_gemm(int repeats) {
  const Tensor a = at::randn({2048, 2048}), b = at::randn({2048, 2048});
  at::mm(a, b);
  print(best_of(repeats, [&] { at::mm(a, b); }), 2.0 * 2048 * 2048 * 2048, 2048);
}

int run(int argc, char** argv) {
  keep_freed_memory();
  const std::string_view what = argc > 1 ? argv[1] : "";
  const auto number = [&](int i) { return i < argc ? std::atoi(argv[i]) : 0; };
  if (const char* threads = std::getenv("OMP_NUM_THREADS")) at::set_num_threads(std::atoi(threads));
  if (what == "coop" && argc == 6)
    bench_coop(number(2), number(3), number(4), number(5));
  else if (what == "zeroshot" && argc == 5)
    bench_zeroshot(number(2), number(3), number(4));
  else if (what == "image" && argc == 4)
    bench_image(number(2), number(3));
  else if (what == "gemm" && argc == 3)
    bench_gemm(number(2));
  else
    return fmt::print(stderr,
                      "usage: clip_bench coop|zeroshot|image|gemm ...; see clip_bench.cc\n"),
           2;
  return 0;
}

}  // namespace
}  // namespace openworld

int main(int argc, char** argv) {
  try {
    return openworld::run(argc, argv);
  } catch (const openworld::Error& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 2;
  }
}
