// Speed of open-set training and scoring. benchmarks/osr.py runs it beside PyTorch.
//
// usage: osr_bench train|score vgg32|small BATCH STEPS THREADS
//
// Prints images a second and processor time per image of the best of three rounds of STEPS steps,
// after one to warm up, and the share of the speed of matrix products. Images are 8-bit pixels in
// memory, cropped with 4 pixels of padding and flipped on another thread, as for CIFAR-10.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <string>

#include "openworld/base/random.h"
#include "openworld/osr/data/image_array.h"
#include "openworld/osr/osr_trainer.h"
#include "openworld/pretrain/gemm_rate.h"
#include "openworld/vlm/freed_memory.h"

namespace {

using namespace openworld;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kImages = 4096;

class Pictures : public OsrSamples {
 public:
  Pictures() {
    shape_ = {3, 32, 32};
    array_.count = kImages;
    array_.height = array_.width = 32;
    array_.rgb.resize(kImages * 3 * 32 * 32);
    Random random(1);
    for (std::uint8_t& value : array_.rgb) value = static_cast<std::uint8_t>(random.below(256));
    for (std::size_t i = 0; i < kImages; ++i) labels_.push_back(static_cast<std::int32_t>(i % 6));
  }

  void write(std::size_t i, const std::optional<AugmentationName>& name,
             std::span<float> to) const override {
    if (!name) return array_.write(i, kPlainPixels, to);
    array_.write_augmented(i, kPlainPixels, {.padding = 4, .flip = true}, *name, to);
  }

 private:
  ImageArray array_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    fmt::print(stderr, "usage: osr_bench train|score NET BATCH STEPS THREADS\n");
    return 2;
  }
  keep_freed_memory();
  const std::string what = argv[1], net = argv[2];
  const std::int64_t batch = std::atoll(argv[3]), steps = std::atoll(argv[4]);
  const int threads = std::atoi(argv[5]);
  const Pictures pictures;
  const OsrModel model({.method = "softmax",
                        .net = net,
                        .options = {{"batch", batch}, {"epochs", std::int64_t{1000000}}},
                        .classes = 6});
  OsrTrainer trainer(model, pictures, {.seed = 1, .threads = threads});
  double best = 0, least = 1e9, flops = 0;
  for (int round = 0; round < 4; ++round) {
    const Clock::time_point start = Clock::now();
    const std::clock_t used = std::clock();
    std::int64_t images = 0;
    if (what == "train") {
      for (std::int64_t s = 0; s < (round == 0 ? 1 : steps); ++s)
        images += trainer.run_step().images;
      flops = model.network().training_flops();
    } else {
      model.predict(pictures, threads);
      images = kImages;
      flops = model.network().forward_flops();
    }
    const std::chrono::duration<double> seconds = Clock::now() - start;
    const double milliseconds = 1e3 * static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC;
    if (round == 0) continue;
    best = std::max(best, static_cast<double>(images) / seconds.count());
    least = std::min(least, milliseconds / static_cast<double>(images));
  }
  fmt::print("{{\"images_per_second\": {:.1f}, \"cpu_ms\": {:.3f}, \"gemm_share\": {:.3f}}}\n",
             best, least, best * flops / gemm_rate(threads));
  return 0;
}
