// Pre-training of a small model on icons; benchmarks/pretrain.py runs this beside PyTorch. Prints
// one JSON object.
//
//   pretrain_bench words STEPS    a step of the image tower against names and words: 96 icons and
//   two
//                                 views of 24 drawings, 32 pixels, 3432 names
//   pretrain_bench text STEPS     a step of the text tower on features of the locked image tower:
//   192
//                                 captions and 192 names
//                                 {"seconds_per_step": best, "median":, "images_per_second": of the
//                                 median, "gemm_share":, "parameters":, "peak_memory_bytes":}
//   pretrain_bench augment SIDE   {"images_per_second": on one core, all changes of lines and
//   shapes
//                                 at once, from bytes to normalised floats}
//
// Threads: OMP_NUM_THREADS, else all cores.

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "openworld/base/threads.h"
#include "openworld/images/line_art.h"
#include "openworld/images/transform.h"
#include "openworld/io/run_cost.h"
#include "openworld/pretrain/gemm_rate.h"
#include "openworld/pretrain/init_clip.h"
#include "openworld/pretrain/pretrainer.h"
#include "openworld/text/train_vocabulary.h"
#include "openworld/vlm/freed_memory.h"

namespace openworld {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr std::size_t kNames = 3432;

// A dark rectangle on white; where it is depends on the index.
Image icon(std::size_t index, int side) {
  Image image = make_image(side, side);
  Random random(1, index);
  const auto cut = [&] { return static_cast<int>(random.below(static_cast<std::uint64_t>(side))); };
  const int left = cut(), top = cut(), right = cut(), bottom = cut();
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      const bool inside = (x >= left) != (x >= right) && (y >= top) != (y >= bottom);
      std::fill_n(&image.rgb[static_cast<std::size_t>(3 * (y * side + x))], 3,
                  static_cast<std::uint8_t>(inside ? 20 : 255));
    }
  }
  return image;
}

// Icons with names of two words, or drawings without.
class Icons : public CaptionSource {
 public:
  Icons(std::size_t size, bool named) : named_(named) {
    for (std::size_t i = 0; i < size; ++i) images_.push_back(icon(i, 32));
  }

  std::size_t size() const override { return images_.size(); }
  Bytes image(const PairName&) const override { return {}; }
  std::optional<Image> pixels(const PairName& name) const override { return images_[name.index]; }
  std::string caption(const PairName& name) const override {
    return named_ ? "an icon of a " + name_of(name.index) + "." : "";
  }
  bool has_caption(std::size_t) const override { return named_; }
  std::uint64_t concept_of(std::size_t index) const override { return index % kNames; }
  std::string name_of(std::size_t index) const override {
    if (!named_) return "";
    const std::size_t k = index % kNames;
    return fmt::format("thing{} kind{}", k % 60, k / 60);
  }
  std::vector<std::string> words_of(std::size_t index) const override {
    return words_in(name_of(index));
  }
  std::string place(std::size_t index) const override { return std::to_string(index); }
  std::vector<std::string> corpus() const override {
    std::vector<std::string> texts;
    for (std::size_t i = 0; named_ && i < size(); ++i) texts.push_back(caption({0, 0, i}));
    return texts;
  }
  std::string description() const override { return "icons"; }

 private:
  bool named_;
  std::vector<Image> images_;
};

// The model of the trial that pretrain.py renders in PyTorch.
ClipConfig config_of(std::int64_t tokens) {
  ClipConfig config = pocket_config();
  config.vision = {128, 2, 4, 512};
  config.text = {128, 3, 4, 512};
  config.embed = 128;
  config.stem = {{32, 2}, {64, 2}, {128, 1}, {128, 2}};
  config.vocabulary = tokens;
  return config;
}

SourceOptions changed_lines() {
  SourceOptions options;
  AugmentOptions& augmentation = options.augmentation;
  augmentation.augment = ImageAugmentation::kRedraw;
  augmentation.redraw = {9, 0.8, 1.08, 6, 0.05, 0.5, 0.03, 0.1, 0.05};
  augmentation.lines = {0.5, 0.5, 1, 0.3, 0.12, 0.07};
  return options;
}

PretrainOptions options_of(const std::string& what, int threads) {
  PretrainOptions options;
  options.threads = threads;
  options.average = 0.998;
  options.lr = 2e-3;
  options.adamw.weight_decay = 0.05;
  options.steps = 1 << 20;
  if (what == "words") {
    options.batch = 120;
    options.weights = {.pairs = 0, .words = 1, .agreement = 0.3};
  } else {
    options.batch = 192;
    options.weights = {.pairs = 0.5, .texts = 1};
    options.locked = Tower::kImage;
    options.epoch_pairs = 3072;
    options.reuse = 16;
    options.loss.shared = 0.8;
  }
  return options;
}

// Bytes.
std::int64_t peak_memory() {
  return RunClock().cost().peak_memory_bytes;
}

void run_steps(const std::string& what, int steps) {
  keep_freed_memory();
  const char* const given = std::getenv("OMP_NUM_THREADS");
  const int threads = given ? std::atoi(given) : default_threads();
  at::set_num_threads(threads);
  const Icons icons(2 * kNames, true), drawings(1000, false);
  const Tokenizer tokenizer(train_vocabulary(icons.corpus(), {.merges = 500}));
  const std::vector<const CaptionSource*> named = {&icons};
  const WordTable words(named, {.min_names = 2, .min_words = 1 << 20, .name_share = 0.6});
  TrainedModel model = make_trained_model(
      init_clip(config_of(static_cast<std::int64_t>(tokenizer.vocabulary().size())), 1), true);
  add_word_vectors(model, static_cast<std::int64_t>(words.size()), 1);
  SourceOptions shown = changed_lines();
  StageInputs inputs{.sources = {{&icons, shown, 0.8}}, .tokenizer = &tokenizer, .words = &words};
  shown.views = 2;
  if (what == "words") inputs.sources.push_back({&drawings, shown, 0.2});
  const std::int64_t parameters = parameter_count(model.clip.config);
  Pretrainer trainer(std::move(model), inputs, options_of(what, threads));
  const double full_rate = gemm_rate(threads);
  trainer.run_step();  // not counted
  std::vector<double> times;
  double flops = 0;
  std::size_t images = 0;
  for (int i = 0; i < steps; ++i) {
    const auto start = Clock::now();
    const StepReport report = trainer.run_step();
    times.push_back(seconds_since(start));
    flops = report.flops;
    images = report.images;
  }
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  fmt::print(
      R"({{"seconds_per_step": {:.6f}, "median": {:.6f}, "images_per_second": {:.1f}, "gemm_share": {:.4f}, "gemm_rate": {:.4e}, "parameters": {}, "peak_memory_bytes": {}}})",
      times.front(), median, static_cast<double>(images) / median, flops / median / full_rate,
      full_rate, parameters, peak_memory());
  fmt::print("\n");
}

void run_augment(int side) {
  const Image image = icon(3, side);
  const AugmentOptions options = changed_lines().augmentation;
  const Preprocessing preprocessing{side, {0.85, 0.85, 0.85}, {0.28, 0.28, 0.28}};
  std::vector<float> chw(static_cast<std::size_t>(3 * side * side));
  double best = 0;
  for (std::uint64_t round = 0; round < 5; ++round) {
    constexpr std::uint64_t kImages = 2000;
    const auto start = Clock::now();
    for (std::uint64_t i = 0; i < kImages; ++i) {
      Random random(round, i);
      const Redrawing shape = draw_redrawing(options.redraw, side, side, random);
      const LineArt art = draw_line_art(options.lines, random);
      clip_transform(redraw_lines(image, art, shape), preprocessing, chw);
    }
    best = std::max(best, kImages / seconds_since(start));
  }
  fmt::print(R"({{"images_per_second": {:.0f}}})", best);
  fmt::print("\n");
}

}  // namespace
}  // namespace openworld

int main(int argc, char** argv) {
  const std::string what = argc == 3 ? argv[1] : "";
  const int number = argc == 3 ? std::atoi(argv[2]) : 0;
  if ((what == "words" || what == "text") && number > 0) {
    openworld::run_steps(what, number);
  } else if (what == "augment" && number > 1) {
    openworld::run_augment(number);
  } else {
    fmt::print(stderr, "usage: pretrain_bench words|text STEPS | augment SIDE\n");
    return 2;
  }
}
